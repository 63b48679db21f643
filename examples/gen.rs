use mlynek::{generate::*, rules::*};
use std::sync::atomic::AtomicBool;
use std::time::Instant;
struct O(Instant);
impl Observer for O {
    fn begin(&self, p: &Plan, _: &std::path::Path) {
        println!(
            "positions {} slots {} mem {} MiB disk {} MiB tables {}",
            p.positions,
            p.slots,
            p.memory >> 20,
            p.disk >> 20,
            p.tables.len()
        );
    }
    fn phase(&self, n: &str, i: usize, c: usize) {
        println!("{:.1} phase {n} {i}/{c}", self.0.elapsed().as_secs_f64());
    }
    fn progress(&self, f: f64) {
        if std::env::var("V").is_ok() {
            println!("  {:.1} {:.4}", self.0.elapsed().as_secs_f64(), f);
        }
    }
    fn message(&self, t: &str) {
        println!("{t}");
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let rules = RuleSet::by_name(&a[1]).unwrap();
    let (rules, scope) = if a[2].starts_with("max") {
        let n: usize = a[2][3..].parse().unwrap();
        (rules, Scope::Moving(vec![Subspace::moving(n, n)]))
    } else {
        (rules.with_men(a[2].parse().unwrap()).unwrap(), Scope::Game)
    };
    let plan = Plan::new(rules, scope).unwrap();
    match run(
        &plan,
        a[3].as_ref(),
        &Options::default(),
        &O(Instant::now()),
        &AtomicBool::new(false),
    ) {
        Ok(s) => println!("{s:?}"),
        Err(e) => println!("{e}"),
    }
}
