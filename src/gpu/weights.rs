//! The weights that lie in the buffers, whichever run made them: a depth needs only the layers that no depth before it
//! had, and another placement often none.

use std::collections::HashMap;

use crate::plan::{Operation, Part, Plan, RandomWeights, Role, Step};
use crate::sort::sort_short;

#[derive(Default)]
pub(super) struct Weights {
    /// How a block's matrices lie in its slab: the length of a slab, and offset and length of each matrix.
    layout: (u32, Vec<(u32, u32)>),
    /// By buffer and place: with which arguments, and for how many layers.
    made: HashMap<(u32, u32), (RandomWeights, u32)>,
}

/// A step that makes weights of blocks: its arguments, buffer and place.
fn of_blocks(plan: &Plan, step: &Step) -> Option<(RandomWeights, u32, u32)> {
    let Operation::RandomWeights(arguments) = step.operation else { return None };
    let spec = plan.buffers[step.views[0].buffer];
    (spec.role == Role::Weights).then_some((arguments, spec.page, step.views[0].at))
}

impl Weights {
    /// Forgets all where the matrices of a plan lie in other places.
    pub(super) fn fit(&mut self, plan: &Plan) {
        let steps = plan.steps.iter().filter_map(|step| of_blocks(plan, step));
        let mut slab = 0;
        let mut matrices = Vec::new();
        for (arguments, _, at) in steps {
            slab = arguments.layer_stride;
            let matrix = (at % slab, arguments.padded_rows * arguments.stride);
            if !matrices.contains(&matrix) {
                matrices.push(matrix);
            }
        }
        sort_short(&mut matrices, Ord::cmp);
        let layout = (slab, matrices);
        if layout != self.layout {
            *self = Self { layout, made: HashMap::new() };
        }
    }

    /// Of each step of a plan whether it has to run: all but those that would make what is there already.
    pub(super) fn needed(&self, plan: &Plan) -> Vec<bool> {
        let mut made = self.made.clone();
        let is_needed = |step| {
            let Some((arguments, page, at)) = of_blocks(plan, step) else { return true };
            let layers = step.workgroups[1];
            let is_held = made.get(&(page, at)).is_some_and(|made| made.0 == arguments && made.1 >= layers);
            if !is_held {
                made.insert((page, at), (arguments, layers));
            }
            !is_held
        };
        plan.steps.iter().map(is_needed).collect()
    }

    /// A part of a step goes to the device.
    pub(super) fn note(&mut self, plan: &Plan, part: &Part) {
        let step = &plan.steps[part.step];
        let Some((arguments, page, at)) = of_blocks(plan, step) else { return };
        if part.is_last {
            self.made.insert((page, at), (arguments, step.workgroups[1]));
        } else {
            self.made.remove(&(page, at));
        }
    }

    /// Has every weight made anew.
    pub(super) fn forget(&mut self) {
        self.made.clear();
    }
}
