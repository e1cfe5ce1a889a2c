//! Which buffers a run needs: the slabs of every role, given out in buffers within the limits.

use crate::model::{Activation, Config};

use super::super::layout::{BufferSpec, Limits, PlanError, Results, Role, View};
use super::gram::{NormCut, gram_vec4s};
use super::sums::partial_vec4s;
use super::{
    DIRECTIONS, Family, Keeps, Placed, attention_stride, cotangents, qk_segments, score_vec4s, trained, unembedding,
    vec4s,
};

/// Slabs of one role, over one or more buffers.
#[derive(Clone, Copy)]
pub(super) struct Slabs {
    first_buffer: usize,
    pub(super) slab_vec4s: u32,
    slabs_per_page: u32,
    slabs: u32,
}

impl Slabs {
    /// Where fewer are kept than there are, later ones lie where earlier ones did.
    pub(super) fn slab(&self, index: usize) -> View {
        let index = index as u32 % self.slabs.max(1);
        View {
            buffer: self.first_buffer + (index / self.slabs_per_page) as usize,
            at: index % self.slabs_per_page * self.slab_vec4s,
        }
    }

    /// Runs of slabs that share a buffer, as first slab and count.
    pub(super) fn runs(&self) -> impl Iterator<Item = (u32, u32)> {
        let (slabs, per_page) = (self.slabs, self.slabs_per_page);
        (0..slabs).step_by(per_page as usize).map(move |first| (first, per_page.min(slabs - first)))
    }
}

/// The slabs of every role.
pub(super) struct SlabTable {
    pub(super) weights: Slabs,
    pub(super) unembedding: Slabs,
    pub(super) embedding: Slabs,
    pub(super) stream: Slabs,
    /// After each sublayer of a block but the last.
    pub(super) middle: Vec<Slabs>,
    pub(super) side: Slabs,
    pub(super) final_side: Slabs,
    pub(super) memory_draws: Slabs,
    pub(super) memory: Slabs,
    pub(super) memory_scale: Slabs,
    pub(super) normed: Slabs,
    pub(super) input_scale: Slabs,
    pub(super) qkv: Slabs,
    pub(super) qk_scale: Slabs,
    pub(super) heads: Slabs,
    pub(super) probabilities: Slabs,
    pub(super) inverse: Slabs,
    pub(super) hidden: Slabs,
    pub(super) activated: Slabs,
    pub(super) branch: Slabs,
    pub(super) residual_scale: Slabs,
    pub(super) final_normed: Slabs,
    pub(super) final_scale: Slabs,
    pub(super) logits: Slabs,
    pub(super) grad: Slabs,
    pub(super) kept_grad: Slabs,
    pub(super) kept_middle_grad: Vec<Slabs>,
    pub(super) side_grad: Slabs,
    pub(super) branch_grad: Slabs,
    pub(super) input_grad: Slabs,
    pub(super) heads_grad: Slabs,
    pub(super) qkv_grad: Slabs,
    pub(super) score_grad: Slabs,
    pub(super) hidden_grad: Slabs,
    pub(super) weight_grad: Slabs,
    pub(super) stream_tangent: Slabs,
    pub(super) side_tangent: Slabs,
    pub(super) normed_tangent: Slabs,
    pub(super) qkv_tangent: Slabs,
    pub(super) score_tangent: Slabs,
    pub(super) heads_tangent: Slabs,
    pub(super) hidden_tangent: Slabs,
    pub(super) activated_tangent: Slabs,
    pub(super) branch_tangent: Slabs,
    pub(super) logits_tangent: Slabs,
    pub(super) update_partials: Slabs,
    pub(super) stream_grad_partials: Slabs,
    pub(super) head_grad_partials: Slabs,
    pub(super) attention_partials: Slabs,
    pub(super) gram: Slabs,
    pub(super) weight_grad_partials: Vec<Slabs>,
    pub(super) unembedding_grad_partials: Slabs,
    pub(super) loss_partials: Slabs,
    pub(super) results: Slabs,
    pub(super) nothing: Slabs,
}

/// Gives out buffers for slabs.
struct Allocator<'a> {
    limits: &'a Limits,
    buffers: Vec<BufferSpec>,
}

impl Allocator<'_> {
    fn slabs(&mut self, role: Role, slabs: usize, slab_vec4s: u32) -> Result<Slabs, PlanError> {
        let slab_vec4s = slab_vec4s.max(1);
        let needed = 16 * u64::from(slab_vec4s);
        let allowed = self.limits.binding_bytes;
        if slabs > 0 && needed > allowed {
            return Err(PlanError::SlabTooLarge { role, needed, allowed });
        }
        let slabs = slabs as u32;
        let slabs_per_page = ((allowed.min(self.limits.page_bytes) / needed) as u32).clamp(1, slabs.max(1));
        let table = Slabs { first_buffer: self.buffers.len(), slab_vec4s, slabs_per_page, slabs };
        for (page, (_, count)) in table.runs().enumerate() {
            self.buffers.push(BufferSpec { role, page: page as u32, vec4s: count * slab_vec4s });
        }
        Ok(table)
    }
}

/// What is given out from the end on, `at_once` in order and then those before them.
fn from_the_end(count: usize, at_once: u32, mut give: impl FnMut(usize) -> u32) -> Vec<u32> {
    let at_once = at_once as usize;
    let mut places = vec![0; count];
    for (stretch, places) in places.chunks_mut(at_once).enumerate().rev() {
        for (i, place) in places.iter_mut().enumerate() {
            *place = give(stretch * at_once + i);
        }
    }
    places
}

/// Gives out every buffer of a run.
pub(super) fn allocate(
    config: &Config,
    limits: &Limits,
    placed: &[Placed],
    families: &[Family],
    norm_cuts: &[NormCut],
    keeps: Keeps,
    depths: &[u32],
) -> Result<(Vec<BufferSpec>, SlabTable, Results), PlanError> {
    let (depth, width, rows) = (config.depth as usize, config.width as usize, config.rows());
    let per_block = config.sublayers_per_block();
    let sublayers = depth * per_block;
    let recipe = config.placement.recipe();
    let stride = vec4s(width);
    let hidden_stride = vec4s(config.hidden());
    let stream = rows as u32 * stride;
    let gated = config.act == Activation::SwiGlu;
    let hidden = rows as u32 * hidden_stride * if gated { 2 } else { 1 };
    let vocab_stride = vec4s(config.vocab as usize);
    let block_vec4s = placed.iter().map(|placed| placed.rows * placed.columns).sum();
    let mut allocator = Allocator { limits, buffers: Vec::new() };
    let mut slabs = |role, count, vec4s| allocator.slabs(role, count, vec4s);
    // Blocks whose activations are there at once.
    let active = if keeps.activations { depth } else { 1 };
    // One attention of each block, or two.
    let attentions = active * (per_block - 1);
    let per_norm = |blocks: usize| if recipe.input_norm { blocks * per_block } else { 0 };
    let has_side = recipe.dual_stream || recipe.adds_block_input;
    let ends_normed = config.has_final_norm() || recipe.dual_stream;
    let branches = if recipe.branch_norm { active * per_block } else { 1 };
    let segments = qk_segments(config).map_or(0, |segments| segments.count as usize);
    let with_segments = if segments > 0 { active } else { 0 };
    let heads = rows as u32 * attention_stride(config);
    let (score_rows, probabilities) = score_vec4s(config);
    let once = |wanted: bool| usize::from(wanted);
    let update_outputs = 2 * sublayers as u32;
    let states = depth as u32 + 1;
    let state_results = 3 * states * config.batch;
    let models = depths.len() as u32;
    let reaching = |depth: usize| cotangents(depths, depth as u32);
    // Each cotangent meets the sublayers of its own model.
    let by_block: u32 = (1..=depth).map(reaching).sum();
    let moves = keeps.gradients;
    let at_once = keeps.norms_at_once;
    let blocks_kept = match () {
        () if !keeps.has_backward => 0,
        () if keeps.gradients => depth,
        () => depth.min(at_once as usize),
    };
    let backward = usize::from(keeps.has_backward);
    let largest_product = trained(families).map(Family::vec4s).max().unwrap_or(0);
    let mut next = 0;
    let mut result = |count: u32| {
        next += count;
        next - count
    };
    let mut results = Results {
        buffer: 0,
        vec4s: 0,
        stream: result(state_results),
        gradient: (0..=depth).map(|state| result(3 * reaching(state) * config.batch)).collect(),
        update: result(update_outputs),
        grad_stream: from_the_end(sublayers, 1, |k| result(reaching(k / per_block + 1))),
        head_grad: result(models),
        attention: result(depth as u32),
        norm_scale: result(sublayers as u32),
        grad_weight: trained(families)
            .map(|family| {
                let places = from_the_end(depth, at_once, |block| result(family.groups * reaching(block + 1)));
                (places, family.groups)
            })
            .collect(),
        grad_unembed: result(models),
        loss: result(models),
        model_update: keeps.gradients.then(|| result(3 * (1 + DIRECTIONS) * config.batch)),
    };
    results.vec4s = next;

    let table = SlabTable {
        weights: slabs(Role::Weights, if keeps.weights { depth } else { 1 }, block_vec4s)?,
        unembedding: slabs(Role::Unembedding, 1, 4 * stride * vocab_stride)?,
        embedding: slabs(Role::Embedding, once(recipe.embedding_norm), stream)?,
        stream: slabs(Role::Stream, depth + 1, stream)?,
        middle: (1..per_block)
            .map(|sublayer| slabs(Role::Middle(sublayer as u8), active, stream))
            .collect::<Result<_, _>>()?,
        side: slabs(Role::Side, once(has_side), stream)?,
        final_side: slabs(Role::FinalSide, once(recipe.dual_stream), stream)?,
        memory_draws: slabs(Role::MemoryDraws, once(config.cross.0), stream)?,
        memory: slabs(Role::Memory, once(config.cross.0), stream)?,
        memory_scale: slabs(Role::MemoryScale, once(config.cross.0), vec4s(rows))?,
        normed: slabs(Role::Normed, per_norm(active), stream)?,
        input_scale: slabs(Role::InputScale, per_norm(depth).max(once(recipe.embedding_norm)), vec4s(rows))?,
        qkv: slabs(Role::Qkv, attentions, 3 * heads)?,
        qk_scale: slabs(Role::QkScale, with_segments, vec4s(2 * rows * segments))?,
        heads: slabs(Role::Heads, attentions, heads)?,
        probabilities: slabs(Role::Probabilities, if keeps.probabilities { attentions } else { 1 }, probabilities)?,
        inverse: slabs(Role::Inverse, attentions, score_rows)?,
        hidden: slabs(Role::Hidden, active, hidden)?,
        activated: slabs(Role::Activated, active, rows as u32 * hidden_stride)?,
        branch: slabs(Role::Branch, branches, stream)?,
        residual_scale: slabs(Role::ResidualScale, sublayers, vec4s(2 * rows))?,
        final_normed: slabs(Role::FinalNormed, once(ends_normed), stream)?,
        final_scale: slabs(Role::FinalScale, once(ends_normed), vec4s(2 * rows))?,
        logits: slabs(Role::Logits, 1, rows as u32 * vocab_stride)?,
        grad: slabs(Role::Grad, backward, models * stream)?,
        kept_middle_grad: (1..per_block)
            .map(|place| {
                let count = if keeps.stream_gradients { depth } else { 0 };
                slabs(Role::KeptMiddleGrad(place as u8), count, stream)
            })
            .collect::<Result<_, _>>()?,
        kept_grad: slabs(Role::KeptGrad, if keeps.stream_gradients { depth + 1 } else { 0 }, stream)?,
        side_grad: slabs(Role::SideGrad, once(has_side) * backward, models * stream)?,
        branch_grad: slabs(Role::BranchGrad, blocks_kept * per_block, models * stream)?,
        input_grad: slabs(Role::InputGrad, backward, models * stream)?,
        heads_grad: slabs(Role::HeadsGrad, backward, models * heads)?,
        qkv_grad: slabs(Role::QkvGrad, blocks_kept * (per_block - 1), models * 3 * heads)?,
        score_grad: slabs(Role::ScoreGrad, backward, models * probabilities)?,
        hidden_grad: slabs(Role::HiddenGrad, blocks_kept, models * hidden)?,
        weight_grad: slabs(Role::WeightGrad, once(moves), largest_product)?,
        stream_tangent: slabs(Role::StreamTangent, once(moves), DIRECTIONS * stream)?,
        side_tangent: slabs(Role::SideTangent, once(moves && has_side), DIRECTIONS * stream)?,
        normed_tangent: slabs(
            Role::NormedTangent,
            once(moves && (recipe.input_norm || ends_normed)),
            DIRECTIONS * stream,
        )?,
        qkv_tangent: slabs(Role::QkvTangent, once(moves), DIRECTIONS * 3 * heads)?,
        score_tangent: slabs(Role::ScoreTangent, once(moves), DIRECTIONS * probabilities)?,
        heads_tangent: slabs(Role::HeadsTangent, once(moves), DIRECTIONS * heads)?,
        hidden_tangent: slabs(Role::HiddenTangent, once(moves), DIRECTIONS * hidden)?,
        activated_tangent: slabs(Role::ActivatedTangent, once(moves), DIRECTIONS * rows as u32 * hidden_stride)?,
        branch_tangent: slabs(Role::BranchTangent, once(moves), DIRECTIONS * stream)?,
        logits_tangent: slabs(Role::LogitsTangent, once(moves), (1 + DIRECTIONS) * rows as u32 * vocab_stride)?,
        update_partials: slabs(Role::UpdatePartials, 1, (update_outputs + 2) * rows as u32)?,
        stream_grad_partials: {
            let vec4s = partial_vec4s(per_block as u32 * by_block, models, rows as u32);
            slabs(Role::StreamGradPartials, 1, vec4s)?
        },
        head_grad_partials: slabs(Role::HeadGradPartials, 1, models * rows as u32)?,
        attention_partials: slabs(Role::AttentionPartials, 1, states * score_rows)?,
        gram: {
            let cuts = trained(families).map(|family| (norm_cuts[family.index], family.groups));
            let vec4s = gram_vec4s(cuts, at_once.max(models));
            slabs(Role::Gram, once(vec4s > 0), vec4s)?
        },
        weight_grad_partials: trained(families)
            .map(|family| {
                let partials = norm_cuts[family.index].partials();
                let vec4s = partial_vec4s(by_block * family.groups, models.max(at_once) * family.groups, partials);
                slabs(Role::WeightGradPartials(family.index as u8), 1, vec4s)
            })
            .collect::<Result<_, _>>()?,
        unembedding_grad_partials: {
            let partials = NormCut::direct(limits.tuning, &unembedding(config)).partials();
            slabs(Role::UnembeddingGradPartials, 1, models * partials)?
        },
        loss_partials: slabs(Role::LossPartials, 1, models * rows as u32)?,
        results: slabs(Role::Results, 1, next)?,
        nothing: slabs(Role::Nothing, 1, 1)?,
    };
    results.buffer = table.results.first_buffer;
    Ok((allocator.buffers, table, results))
}
