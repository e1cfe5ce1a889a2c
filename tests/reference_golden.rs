//! The float64 engine against every golden run.

mod common;

use common::{Golden, check_f64};
use normscope::reference;

#[test]
fn every_golden_run() {
    let mut failures = Vec::new();
    for golden in Golden::all() {
        match check_f64(&golden, &reference::measure(&golden.config)) {
            Ok(worst) => println!("{}: {worst}", golden.query),
            Err(failure) => failures.push(failure),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
