//! mlynek strongly solves nine men's morris.

pub mod board;
pub mod index;
pub mod rules;
