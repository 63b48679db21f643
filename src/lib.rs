//! mlynek strongly solves nine men's morris.

pub mod board;
pub mod database;
pub mod generate;
pub mod index;
pub mod notation;
pub mod planes;
pub mod report;
pub mod rules;
pub mod solve;
pub mod table;
pub mod verify;
