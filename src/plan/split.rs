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

impl Submit {
    fn add(&mut self, part: Part, budget: Budget) {
        self.parts.push(part);
        self.cost += budget.cost(part.flops);
    }
}

/// The steps of a plan that have not gone to the device.
///
/// # Examples
/// ```
/// use normscope::model::Config;
/// use normscope::plan::{Budget, Extent, Limits, Split, build};
///
/// let plan = build(&Config::default(), &Limits::default(), &[], Extent::Curves).unwrap();
/// let mut rest = Split::new(plan.steps.iter().enumerate());
/// let first = rest.next(Budget { flops: 50_000_000, dispatch_flops: 0 }).unwrap();
/// assert!(first.cost <= 50_000_000);
/// let second = rest.next(Budget { flops: u64::MAX, dispatch_flops: 0 }).unwrap();
/// assert_eq!(first.parts.len() + second.parts.len(), plan.steps.len());
/// assert_eq!(rest.next(Budget { flops: 1, dispatch_flops: 0 }), None);
/// ```
#[derive(Clone, Debug)]
pub struct Split {
    /// The next one last.
    parts: Vec<Part>,
}

impl Split {
    /// Of steps, each with its place in the plan.
    pub fn new<'a>(steps: impl DoubleEndedIterator<Item = (usize, &'a Step)>) -> Self {
        Self { parts: steps.rev().map(|(index, step)| Part::whole(index, step)).collect() }
    }

    /// Whether nothing is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// What the rest costs.
    #[must_use]
    pub fn cost(&self, budget: Budget) -> u64 {
        self.parts.iter().map(|part| budget.cost(part.flops)).sum()
    }

    /// The next submit: all of the rest where the budget allows, else a fair share of it. A single workgroup is not cut,
    /// whatever it costs.
    pub fn next(&mut self, budget: Budget) -> Option<Submit> {
        let cost = self.cost(budget);
        let share = cost.div_ceil(cost.div_ceil(budget.flops.max(1)).max(1));
        let mut submit = Submit::default();
        while let Some(part) = self.parts.pop() {
            let (part, rest) = cut(part, budget.flops.saturating_sub(budget.dispatch_flops));
            self.parts.extend(rest);
            let cost = budget.cost(part.flops);
            // Half of a part may lie past the share: the submits after this one are no larger then.
            let is_full = submit.cost + cost / 2 > share || submit.cost + cost > budget.flops;
            if is_full && !submit.parts.is_empty() {
                self.parts.push(part);
                break;
            }
            submit.add(part, budget);
        }
        (!submit.parts.is_empty()).then_some(submit)
    }
}

/// As much of a part as there is room for, and what is left of it, the first of that last. It is cut along the dimension
/// with the most workgroups; where one of these is still too much, along the next.
fn cut(mut part: Part, room: u64) -> (Part, Vec<Part>) {
    let mut rest = Vec::new();
    loop {
        let most = *part.workgroups.iter().max().unwrap_or(&1);
        if part.flops <= room || most <= 1 {
            return (part, rest);
        }
        let along = part.workgroups.iter().position(|&count| count == most).unwrap_or(0);
        let fit = (u128::from(most) * u128::from(room) / u128::from(part.flops)) as u32;
        // Pieces of about the same size.
        let fit = most.div_ceil(most.div_ceil(fit.max(1)));
        let flops = part.flops * u64::from(fit) / u64::from(most);
        let mut later = Part { flops: part.flops - flops, ..part };
        later.first[along] += fit;
        later.workgroups[along] -= fit;
        rest.push(later);
        part.flops = flops;
        part.workgroups[along] = fit;
        part.is_last = false;
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

    fn split(plan: &Plan, budget: Budget) -> Vec<Submit> {
        let mut rest = Split::new(plan.steps.iter().enumerate());
        std::iter::from_fn(|| rest.next(budget)).collect()
    }

    /// Every workgroup of every step is in one part, and the steps are in order.
    #[test]
    fn nothing_is_left_out_or_done_twice() {
        let plan = plan(3);
        for flops in [1, 1_000, 100_000, 10_000_000, u64::MAX] {
            let submits = split(&plan, Budget { flops, dispatch_flops: 500 });
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
            let submits = split(&plan, budget);
            let cost: u64 = plan.steps.iter().map(|step| step.flops + budget.dispatch_flops).sum();
            assert!(submits.iter().all(|submit| submit.cost <= flops), "{flops}");
            let fewest = cost.div_ceil(flops) as usize;
            assert!(submits.len() <= fewest + fewest / 4 + 1, "{} of {fewest}", submits.len());
        }
    }

    #[test]
    fn what_fits_is_one_submit() {
        let plan = plan(24);
        let cost = plan.steps.iter().map(|step| step.flops).sum();
        assert_eq!(split(&plan, Budget { flops: cost, dispatch_flops: 0 }).len(), 1);
        assert_eq!(split(&plan, Budget { flops: cost - 1, dispatch_flops: 0 }).len(), 2);
    }

    #[test]
    fn a_large_step_is_cut() {
        let config = Config { depth: 1, width: 1024, tokens: 256, ..Config::default() };
        let plan = build(&config, &Limits::default(), &[], Extent::Curves).expect("this fits");
        let budget = Budget { flops: 100_000_000, dispatch_flops: 0 };
        assert!(plan.steps.iter().any(|step| step.flops > 10 * budget.flops));
        for submit in split(&plan, budget) {
            let part = submit.parts[0];
            assert!(submit.cost <= budget.flops, "{} of {:?}", submit.cost, plan.steps[part.step]);
        }
    }
}
