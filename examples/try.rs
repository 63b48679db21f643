use mlynek::{index::Index, planes::*, rules::*, solve::*};
use std::sync::atomic::AtomicBool;
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let rules = RuleSet::by_name(&a[1]).unwrap();
    let wmax: usize = a[2].parse().unwrap();
    let bmax: usize = a[3].parse().unwrap();
    let index = Index::new(rules.board());
    let kernel = a.get(4).map_or(Kernel::best(), |k| k.parse().unwrap());
    let stop = AtomicBool::new(false);
    let mut ws = Workspace::new((3..=wmax).map(|w| Level::new(&rules, &index, w).words()).max().unwrap()).unwrap(); let mut below: Option<(Level, Words)> = None;
    let t0 = Instant::now();
    for w in 3..=wmax {
        let t = Instant::now();
        let level = Level::new(&rules, &index, w);
        let mut last = Instant::now();
        let m = solve_moving(
            &rules,
            &level,
            below.as_ref().map(|(l, p)| (l, &p[..])),
            bmax, &mut ws,
            kernel,
            &stop,
            |d, c| {
                if std::env::var("V").is_ok() {
                    println!(
                        "  {} {c} {:.3}",
                        if d { "dense" } else { "sparse" },
                        last.elapsed().as_secs_f64()
                    );
                }
                last = Instant::now();
            },
        )
        .unwrap();
        println!(
            "level {w}: {:.2} s rounds {:?}",
            t.elapsed().as_secs_f64(),
            m.rounds
        );
        below = Some((level, m.white_to_move));
    }
    println!("total {:.2}", t0.elapsed().as_secs_f64());
}
