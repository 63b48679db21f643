//! The choice of processor features, made once at run time.
//!
//! Every kernel is written once, in portable Rust, and compiled several times: a [`Task`] runs
//! inside a function that enables the features of the chosen [`Kernel`], and whatever it inlines
//! is compiled with them. What the compiler cannot find by itself (bit gather and scatter) comes
//! through [`Bits`].

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Bit gather and scatter, portable or by an instruction.
pub trait Bits: Copy + Send + Sync {
    /// The bits of `word` at the set bits of `mask`, moved together to the low end.
    fn gather(word: u64, mask: u64) -> u64;
    /// The low bits of `word`, moved apart to the set bits of `mask`.
    fn scatter(word: u64, mask: u64) -> u64;
    /// Asks for the cache line of a word that will soon be read. A hint: it changes nothing but
    /// the time.
    fn prefetch(word: &u64);
}

/// Bit gather and scatter one bit at a time.
#[derive(Clone, Copy, Debug)]
pub struct PortableBits;

impl Bits for PortableBits {
    #[inline(always)]
    fn gather(word: u64, mut mask: u64) -> u64 {
        let mut gathered = 0;
        let mut place = 0;
        while mask != 0 {
            gathered |= (word >> mask.trailing_zeros() & 1) << place;
            place += 1;
            mask &= mask - 1;
        }
        gathered
    }

    #[inline(always)]
    fn scatter(mut word: u64, mut mask: u64) -> u64 {
        let mut scattered = 0;
        while mask != 0 {
            scattered |= (word & 1) << mask.trailing_zeros();
            word >>= 1;
            mask &= mask - 1;
        }
        scattered
    }

    #[inline(always)]
    fn prefetch(_word: &u64) {}
}

/// A piece of work to be compiled for each kernel. Its `run` must be `#[inline(always)]`, and so
/// must everything hot that it calls.
pub trait Task {
    /// What the work results in.
    type Output;
    /// Does the work.
    fn run<B: Bits>(self) -> Self::Output;
}

/// Which processor features the kernels use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kernel {
    /// None beyond the target's own.
    Portable,
    /// AVX2 and BMI2.
    Avx2,
    /// AVX-512 (F, BW, DQ, VL) and BMI2.
    Avx512,
}

impl Kernel {
    /// Every kernel, the fastest first.
    pub const ALL: [Self; 3] = [Self::Avx512, Self::Avx2, Self::Portable];

    /// The fastest kernel this processor has.
    pub fn best() -> Self {
        let found = Self::ALL.into_iter().find(|kernel| kernel.supported());
        found.unwrap_or(Self::Portable)
    }

    /// The name of the kernel.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether this processor has the features.
    pub fn supported(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("popcnt")
                    && is_x86_feature_detected!("lzcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.supported()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// The kernel itself, if this processor has it.
    ///
    /// # Errors
    /// Names the kernel when it does not.
    pub fn checked(self) -> Result<Self, UnsupportedKernel> {
        if self.supported() {
            Ok(self)
        } else {
            Err(UnsupportedKernel(self))
        }
    }

    /// Does the work with the features of this kernel.
    ///
    /// # Panics
    /// When the processor does not have them; [`Kernel::checked`] tells beforehand.
    #[inline]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            Self::Portable => task.run::<PortableBits>(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                assert!(self.supported(), "{}", UnsupportedKernel(self));
                // SAFETY: the processor has the features, checked in the line above (the answer
                // is cached by the standard library).
                unsafe { x86::avx2(task) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                assert!(self.supported(), "{}", UnsupportedKernel(self));
                // SAFETY: as above.
                unsafe { x86::avx512(task) }
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => panic!("{}", UnsupportedKernel(self)),
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Kernel {
    type Err = UnknownKernel;

    fn from_str(text: &str) -> Result<Self, UnknownKernel> {
        let found = Self::ALL.into_iter().find(|kernel| kernel.name() == text);
        found.ok_or_else(|| UnknownKernel(text.to_owned()))
    }
}

/// A kernel this processor cannot run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("this processor cannot run the {0} kernel")]
pub struct UnsupportedKernel(Kernel);

/// A name that is no kernel's.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("no kernel is called {0:?}: expected portable, avx2 or avx512")]
pub struct UnknownKernel(String);

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Bits, Task};
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch, _pdep_u64, _pext_u64};

    /// Bit gather and scatter by BMI2. Only [`avx2`] and [`avx512`] name this type.
    #[derive(Clone, Copy)]
    struct Bmi2Bits;

    impl Bits for Bmi2Bits {
        #[inline(always)]
        fn gather(word: u64, mask: u64) -> u64 {
            // SAFETY: only functions that enable BMI2 use this type.
            unsafe { _pext_u64(word, mask) }
        }

        #[inline(always)]
        fn scatter(word: u64, mask: u64) -> u64 {
            // SAFETY: as above.
            unsafe { _pdep_u64(word, mask) }
        }

        #[inline(always)]
        fn prefetch(word: &u64) {
            // SAFETY: a prefetch reads nothing, and the address is that of a word.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(word).cast()) };
        }
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    pub(super) fn avx2<T: Task>(task: T) -> T::Output {
        task.run::<Bmi2Bits>()
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt,avx512f,avx512bw,avx512dq,avx512vl")]
    pub(super) fn avx512<T: Task>(task: T) -> T::Output {
        task.run::<Bmi2Bits>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct GatherScatter(u64, u64);

    impl Task for GatherScatter {
        type Output = (u64, u64);
        #[inline(always)]
        fn run<B: Bits>(self) -> (u64, u64) {
            (B::gather(self.0, self.1), B::scatter(self.0, self.1))
        }
    }

    proptest! {
        #[test]
        fn every_kernel_gathers_and_scatters_alike(word: u64, mask: u64) {
            let expected = Kernel::Portable.run(GatherScatter(word, mask));
            prop_assert_eq!(PortableBits::scatter(expected.0, mask), word & mask);
            for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.supported()) {
                prop_assert_eq!(kernel.run(GatherScatter(word, mask)), expected);
            }
        }
    }

    #[test]
    fn kernels_are_read_as_they_are_written() {
        for kernel in Kernel::ALL {
            assert_eq!(kernel.to_string().parse(), Ok(kernel));
        }
        assert!("sse2".parse::<Kernel>().is_err());
        assert!(Kernel::best().supported());
    }
}
