//! How the steps of a plan are shared out among submits. A step that is larger than a submit may be is cut along its
//! workgroups: which of them a dispatch makes is in its uniform, and no kernel knows of it.

use super::Step;

/// Workgroups of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Which step of the plan.
    pub step: usize,
    /// The first workgroup in x, y and z.
    pub first: [u32; 3],
    /// How many workgroups in x, y and z.
    pub workgroups: [u32; 3],
    /// Floating-point operations, roughly.
    pub flops: u64,
    /// Whether none of the step is left after it.
    pub is_last: bool,
}

/// What goes to the device at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Submit {
    /// Parts of steps, in the plan's order.
    pub parts: Vec<Part>,
    /// What it costs, in floating-point operations.
    pub cost: u64,
}

/// What a submit may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Floating-point operations of one submit.
    pub flops: u64,
    /// What a dispatch costs beside its arithmetic, in floating-point operations.
    pub dispatch_flops: u64,
}

impl Budget {
    const fn cost(&self, flops: u64) -> u64 {
        flops + self.dispatch_flops
    }
}

impl Part {
    /// All of a step.
    #[must_use]
    pub const fn whole(index: usize, step: &Step) -> Self {
        Self { step: index, first: [0; 3], workgroups: step.workgroups, flops: step.flops, is_last: true }
    }
}

/// Shares steps, each with its place in the plan, out among as few submits as the budget allows, of about the same cost.
/// A single workgroup is not cut, whatever it costs.
///
/// # Examples
/// ```
/// use normscope::model::Config;
/// use normscope::plan::{Budget, Extent, Limits, build, split};
///
/// let plan = build(&Config::default(), &Limits::default(), &[], Extent::Curves).unwrap();
/// let steps = plan.steps.iter().enumerate();
/// assert_eq!(split(steps.clone(), Budget { flops: u64::MAX, dispatch_flops: 0 }).len(), 1);
/// assert!(split(steps, Budget { flops: 50_000_000, dispatch_flops: 0 }).len() > 2);
/// ```
#[must_use]
pub fn split<'a>(steps: impl Iterator<Item = (usize, &'a Step)> + Clone, budget: Budget) -> Vec<Submit> {
    let cost: u64 = steps.clone().map(|(_, step)| budget.cost(step.flops)).sum();
    let share = cost.div_ceil(cost.div_ceil(budget.flops.max(1)).max(1));
    let mut submits = Vec::new();
    let mut current = Submit::default();
    let parts = steps.flat_map(|(index, step)| cut(index, step, budget));
    for part in parts {
        let cost = budget.cost(part.flops);
        // Half of a part may lie past the share, so that the rest of the submits do not grow.
        let is_full = current.cost + cost / 2 > share || current.cost + cost > budget.flops;
        if is_full && !current.parts.is_empty() {
            submits.push(std::mem::take(&mut current));
        }
        current.parts.push(part);
        current.cost += cost;
    }
    submits.push(current);
    submits
}

/// A step in parts that the budget allows, cut along the dimension with the most workgroups; where one of these is still
/// too much, along the next.
fn cut(index: usize, step: &Step, budget: Budget) -> Vec<Part> {
    let room = budget.flops.saturating_sub(budget.dispatch_flops).max(1);
    let mut parts = Vec::new();
    cut_part(Part { is_last: false, ..Part::whole(index, step) }, room, &mut parts);
    if let Some(last) = parts.last_mut() {
        last.is_last = true;
    }
    parts
}

fn cut_part(whole: Part, room: u64, parts: &mut Vec<Part>) {
    let most = *whole.workgroups.iter().max().unwrap_or(&1);
    if whole.flops <= room || most <= 1 {
        parts.push(whole);
        return;
    }
    let along = whole.workgroups.iter().position(|&count| count == most).unwrap_or(0);
    let fit = (u128::from(most) * u128::from(room) / u128::from(whole.flops)).max(1) as u32;
    let count = most.div_ceil(fit);
    let edge = |part: u32| (u64::from(most) * u64::from(part) / u64::from(count)) as u32;
    for part in 0..count {
        let (from, to) = (edge(part), edge(part + 1));
        let mut cut = Part { flops: whole.flops * u64::from(to - from) / u64::from(most), ..whole };
        cut.first[along] += from;
        cut.workgroups[along] = to - from;
        cut_part(cut, room, parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Config;
    use crate::plan::{Extent, Limits, Plan, build};

    fn plan(depth: u32) -> Plan {
        let config = Config { depth, ..Config::default() };
        build(&config, &Limits::default(), &[], Extent::Curves).expect("this fits")
    }

    fn split_all(plan: &Plan, budget: Budget) -> Vec<Submit> {
        split(plan.steps.iter().enumerate(), budget)
    }

    /// Every workgroup of every step is in one part, and the steps are in order.
    #[test]
    fn nothing_is_left_out_or_done_twice() {
        let plan = plan(3);
        for flops in [1, 1_000, 100_000, 10_000_000, u64::MAX] {
            let submits = split_all(&plan, Budget { flops, dispatch_flops: 500 });
            let mut parts = submits.iter().flat_map(|submit| &submit.parts).peekable();
            for (index, step) in plan.steps.iter().enumerate() {
                let [x, y, z] = step.workgroups.map(|count| count as usize);
                let mut done = vec![false; x * y * z];
                while let Some(part) = parts.next_if(|part| part.step == index) {
                    let along =
                        |i: usize| (part.first[i]..part.first[i] + part.workgroups[i]).map(|group| group as usize);
                    for (k, j, i) in along(2).flat_map(|k| along(1).flat_map(move |j| along(0).map(move |i| (k, j, i))))
                    {
                        let group = &mut done[(k * y + j) * x + i];
                        assert!(!std::mem::replace(group, true), "{part:?} again");
                    }
                    assert_eq!(part.is_last, parts.peek().is_none_or(|next| next.step != index));
                }
                assert!(done.iter().all(|&group| group), "{flops}: {step:?}");
            }
            assert_eq!(parts.next(), None);
        }
    }

    #[test]
    fn a_submit_costs_what_is_allowed() {
        let plan = plan(24);
        for flops in [40_000_000, 100_000_000, 1_000_000_000] {
            let budget = Budget { flops, dispatch_flops: 40_000 };
            let submits = split_all(&plan, budget);
            let cost: u64 = plan.steps.iter().map(|step| step.flops + budget.dispatch_flops).sum();
            assert!(submits.iter().all(|submit| submit.cost <= flops), "{flops}");
            let fewest = cost.div_ceil(flops) as usize;
            assert!(submits.len() <= fewest + fewest / 10 + 1, "{} of {fewest}", submits.len());
        }
    }

    #[test]
    fn what_fits_is_one_submit() {
        let plan = plan(24);
        let cost = plan.steps.iter().map(|step| step.flops).sum();
        assert_eq!(split_all(&plan, Budget { flops: cost, dispatch_flops: 0 }).len(), 1);
        assert_eq!(split_all(&plan, Budget { flops: cost - 1, dispatch_flops: 0 }).len(), 2);
    }

    #[test]
    fn a_large_step_is_cut() {
        let config = Config { depth: 1, width: 1024, tokens: 256, ..Config::default() };
        let plan = build(&config, &Limits::default(), &[], Extent::Curves).expect("this fits");
        let budget = Budget { flops: 100_000_000, dispatch_flops: 0 };
        assert!(plan.steps.iter().any(|step| step.flops > 10 * budget.flops));
        for submit in split_all(&plan, budget) {
            let part = submit.parts[0];
            assert!(submit.cost <= budget.flops, "{} of {:?}", submit.cost, plan.steps[part.step]);
        }
    }
}
