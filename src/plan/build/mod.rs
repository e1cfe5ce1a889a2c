//! From a configuration to a plan.

mod backward;
mod forward;
mod gradient_norm;
mod head;
mod slabs;
mod sums;
mod tangent;

use crate::model::random::GLOBAL_LAYER;
use crate::model::{Activation, Config, Matrix, NORM_EPSILON, Norm, QkNorm, Sublayer, SublayerKind, Tensor, matrices};
use crate::sort::sort_short;

use super::layout::{BufferSpec, Limits, PlanError, Results, View};
use super::{
    Extent, MatmulForward, NormForward, Operation, Plan, RandomWeights, Step, StreamStatistics, SumRows, Tuning,
};
use slabs::{SlabTable, allocate};
use sums::{Of, Sums};

/// Rows that a row kernel's workgroup takes.
const ROWS_PER_WORKGROUP: u32 = 4;
/// Directions in which the weights move, side by side: their gradients, and the signs of these.
const DIRECTIONS: u32 = 2;
/// A NaN for kernels, which WGSL cannot spell.
const NAN_BITS: u32 = 0x7fc0_0000;

/// Plans one forward and backward pass, and what else the extent asks for. `branch_variances` are those of the run
/// [`Config::profiled`] names, empty where there is none.
///
/// # Errors
/// Where a device of these limits cannot hold the run.
pub fn build(config: &Config, limits: &Limits, branch_variances: &[f64], extent: Extent) -> Result<Plan, PlanError> {
    let ends = match extent {
        Extent::Curves => Ends::AtTheInput,
        Extent::WithUpdate => Ends::AfterTheUpdate,
    };
    build_models(config, limits, branch_variances, ends, vec![config.depth])
}

/// Plans one forward pass, and one backward pass for the models of all these depths: the first blocks of the
/// configuration's, which is the deepest. Every model has a cotangent of its own, and the pass carries those of the models
/// that reach a block side by side.
///
/// # Errors
/// Where a device of these limits cannot hold the run.
///
/// # Panics
/// Where the deepest model is not among them, or a block of the configuration knows how many there are.
pub fn build_sweep(
    config: &Config,
    limits: &Limits,
    branch_variances: &[f64],
    depths: &[u32],
) -> Result<Plan, PlanError> {
    assert!(config.shares_blocks(), "every model has the same blocks");
    let mut descending = depths.to_vec();
    sort_short(&mut descending, |a, b| b.cmp(a));
    descending.dedup();
    assert_eq!(descending.first(), Some(&config.depth), "the deepest model is the configuration's");
    build_models(config, limits, branch_variances, Ends::AtTheInput, descending)
}

/// Of the models of some depths, the deepest first.
fn build_models(
    config: &Config,
    limits: &Limits,
    branch_variances: &[f64],
    ends: Ends,
    depths: Vec<u32>,
) -> Result<Plan, PlanError> {
    let mut builder = Builder::new(config, limits, config.sublayers_after(branch_variances), ends, depths)?;
    builder.inputs();
    builder.forward();
    builder.backward();
    if ends == Ends::AfterTheUpdate {
        builder.tangent();
    }
    builder.statistics();
    builder.finish()
}

/// Plans a forward pass alone, for the variances of what its sublayers return.
///
/// # Errors
/// Where a device of these limits cannot hold the run.
pub fn profile(config: &Config, limits: &Limits) -> Result<Plan, PlanError> {
    let mut builder = Builder::new(config, limits, config.sublayers(), Ends::AfterTheBlocks, vec![config.depth])?;
    builder.inputs();
    builder.forward();
    let (rows, sublayers) = (builder.rows, builder.sublayers.len() as u32);
    builder.reduce(builder.slabs.update_partials.slab(0), builder.results.update, 2 * sublayers, rows);
    builder.finish()
}

fn vec4s(floats: usize) -> u32 {
    floats.div_ceil(4) as u32
}

/// How many of the models have so many blocks; they are the first, for the deepest one is.
fn cotangents(depths: &[u32], depth: u32) -> u32 {
    depths.partition_point(|&of_model| of_model >= depth) as u32
}

/// Partial sums in x and y of the norm of a matrix's gradient.
fn gradient_tiles(tuning: Tuning, matrix: &Placed) -> (u32, u32) {
    let (tile_rows, tile_columns) = tuning.gradient_partial();
    (matrix.columns.div_ceil(tile_columns), (matrix.rows / 4).div_ceil(tile_rows))
}

/// The number of a norm in the kernels.
const fn norm_kind(norm: Norm) -> u32 {
    match norm {
        Norm::LayerNorm => 0,
        Norm::RmsNorm => 1,
    }
}

/// vec4s of a head, and of all heads of a token.
fn head_stride(config: &Config) -> u32 {
    vec4s(config.head_width())
}

fn attention_stride(config: &Config) -> u32 {
    config.heads * head_stride(config)
}

/// vec4s of what attention has one number of for each query, and for each query and key; see
/// `shaders/shared/attention.wgsl`.
fn score_vec4s(config: &Config) -> (u32, u32) {
    let rows = config.batch * config.heads * config.tokens.div_ceil(4);
    (rows, rows * config.tokens)
}

/// Segments of the norm on queries and keys.
#[derive(Clone, Copy)]
struct Segments {
    count: u32,
    /// Floats of one, with its padding.
    floats: u32,
    features: u32,
}

fn qk_segments(config: &Config) -> Option<Segments> {
    match config.qk_norm {
        QkNorm::None => None,
        QkNorm::Head => Some(Segments {
            count: config.heads,
            floats: 4 * head_stride(config),
            features: config.head_width() as u32,
        }),
        QkNorm::Full => Some(Segments { count: 1, floats: 4 * attention_stride(config), features: config.width }),
    }
}

/// Rows or columns of a matrix: each `segment` of them are padded to `step`.
#[derive(Clone, Copy)]
struct Padding {
    segment: u32,
    step: u32,
    count: u32,
}

impl Padding {
    /// All of them together.
    fn whole(length: usize) -> Self {
        Self { segment: length as u32, step: 4 * vec4s(length), count: 1 }
    }

    /// Head by head.
    fn heads(config: &Config) -> Self {
        Self { segment: config.head_width() as u32, step: 4 * head_stride(config), count: config.heads }
    }

    const fn padded(&self) -> u32 {
        self.step * self.count
    }
}

/// A matrix and its place in the slab of its block.
#[derive(Clone, Copy)]
struct Placed {
    matrix: Matrix,
    at: u32,
    /// vec4s of a row.
    columns: u32,
    /// Rows, padded.
    rows: u32,
    row_padding: Padding,
    column_padding: Padding,
    /// No parameter, but ones on the diagonal: what takes the padding out of the heads where nothing projects them.
    fixed: bool,
}

impl Placed {
    fn new(config: &Config, matrix: Matrix) -> Self {
        let row_padding = match matrix.tensor {
            Tensor::Wo | Tensor::Co => Padding::heads(config),
            _ => Padding::whole(matrix.fan_in),
        };
        let column_padding = match matrix.tensor {
            Tensor::Wq | Tensor::Wk | Tensor::Wv | Tensor::Cq | Tensor::Ck | Tensor::Cv => Padding::heads(config),
            _ => Padding::whole(matrix.fan_out),
        };
        let (rows, columns) = (row_padding.padded(), column_padding.padded() / 4);
        Self { matrix, at: 0, columns, rows, row_padding, column_padding, fixed: false }
    }
}

/// A tensor that no block owns.
fn global(config: &Config, tensor: Tensor, (fan_in, fan_out): (usize, usize), std: f64) -> Placed {
    let sublayer = SublayerKind::FeedForward;
    Placed::new(config, Matrix { tensor, sublayer, fan_in, fan_out, std })
}

/// U.
fn unembedding(config: &Config) -> Placed {
    let std = 1.0 / f64::from(config.width).sqrt();
    global(config, Tensor::Unembedding, (config.width as usize, config.vocab as usize), std)
}

/// Every matrix of a block in its slab.
fn place(config: &Config) -> Vec<Placed> {
    let mut placed: Vec<_> = matrices(config).into_iter().map(|matrix| Placed::new(config, matrix)).collect();
    if !config.output_projection.0 && !config.head_width().is_multiple_of(4) {
        let width = config.width as usize;
        let (sublayer, std) = (SublayerKind::Attention, 1.0);
        let matrix = Matrix { tensor: Tensor::Wo, sublayer, fan_in: width, fan_out: width, std };
        placed.push(Placed { fixed: true, ..Placed::new(config, matrix) });
    }
    let mut at = 0;
    for placed in &mut placed {
        placed.at = at;
        at += placed.rows * placed.columns;
    }
    placed
}

/// Matrices of one shape that follow each other and are multiplied with the same input: one product serves them all.
#[derive(Clone, Copy)]
struct Family {
    index: usize,
    first: Placed,
    groups: u32,
}

impl Family {
    /// Of all its matrices.
    const fn vec4s(&self) -> u32 {
        self.groups * self.first.rows * self.first.columns
    }
}

fn families(placed: &[Placed]) -> Vec<Family> {
    let mut list: Vec<Family> = Vec::new();
    for &placed in placed {
        match (placed.matrix.tensor, list.last_mut()) {
            (Tensor::Wk | Tensor::Wv | Tensor::Wg | Tensor::Cv, Some(family)) => family.groups += 1,
            _ => list.push(Family { index: list.len(), first: placed, groups: 1 }),
        }
    }
    list
}

/// The products of parameters.
fn trained(families: &[Family]) -> impl Iterator<Item = &Family> {
    families.iter().filter(|family| !family.first.fixed)
}

/// How far a plan goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// To the gradients of everything.
    AtTheInput,
    /// To these, and to the tangents of the logits where the weights move along their gradients.
    AfterTheUpdate,
    /// Forward alone, with the sums that the variances of the branches are made of.
    AfterTheBlocks,
}

/// What is kept for all blocks at once.
#[derive(Clone, Copy)]
struct Keeps {
    weights: bool,
    probabilities: bool,
    /// Of the outputs of all matrices.
    gradients: bool,
    /// Of the stream, before each sublayer and after the last.
    stream_gradients: bool,
}

struct Builder<'a> {
    config: &'a Config,
    limits: &'a Limits,
    sublayers: Vec<Sublayer>,
    placed: Vec<Placed>,
    families: Vec<Family>,
    keeps: Keeps,
    ends: Ends,
    buffers: Vec<BufferSpec>,
    steps: Vec<Step>,
    /// vec4s of a row of the stream.
    stride: u32,
    /// vec4s of a row of the hidden layer.
    hidden_stride: u32,
    rows: u32,
    slabs: SlabTable,
    results: Results,
    /// Of the models, from the deepest one on; their cotangents lie in this order.
    depths: Vec<u32>,
    /// Inputs and output gradients whose norms are not planned yet, by family.
    waiting: Vec<Vec<(View, View)>>,
    stream_gradients: Sums,
    weight_gradients: Vec<Sums>,
}

impl<'a> Builder<'a> {
    fn new(
        config: &'a Config,
        limits: &'a Limits,
        sublayers: Vec<Sublayer>,
        ends: Ends,
        depths: Vec<u32>,
    ) -> Result<Self, PlanError> {
        let placed = place(config);
        let of_all = |vec4s: u32| 16 * u64::from(vec4s) * u64::from(config.depth);
        let weights = placed.iter().map(|placed| placed.rows * placed.columns).sum();
        let keeps = Keeps {
            weights: of_all(weights) <= limits.kept_weight_bytes,
            probabilities: of_all(score_vec4s(config).1) <= limits.kept_probability_bytes,
            gradients: ends == Ends::AfterTheUpdate,
            stream_gradients: depths.len() == 1,
        };
        let families = families(&placed);
        let (buffers, slabs, results) = allocate(config, limits, &placed, &families, keeps, &depths)?;
        let rows = config.rows() as u32;
        let of_family = |family: &Family| {
            let (x, y) = gradient_tiles(limits.tuning, &family.first);
            Sums::new(slabs.weight_grad_partials[family.index], x * y, &results.grad_weight[family.index].0)
        };
        Ok(Self {
            config,
            limits,
            keeps,
            buffers,
            steps: Vec::new(),
            stride: vec4s(config.width as usize),
            hidden_stride: vec4s(config.hidden()),
            rows,
            waiting: vec![Vec::new(); families.len()],
            weight_gradients: trained(&families).map(of_family).collect(),
            stream_gradients: Sums::new(slabs.stream_grad_partials, rows, &results.grad_stream),
            sublayers,
            ends,
            placed,
            families,
            slabs,
            results,
            depths,
        })
    }

    fn finish(self) -> Result<Plan, PlanError> {
        let allowed = self.limits.workgroups;
        let most = self.steps.iter().flat_map(|step| step.workgroups).max().unwrap_or(0);
        if most > allowed {
            return Err(PlanError::TooManyWorkgroups { needed: most, allowed });
        }
        Ok(Plan {
            config: self.config.clone(),
            buffers: self.buffers,
            steps: self.steps,
            results: self.results,
            depths: self.depths,
        })
    }

    fn push(&mut self, operation: impl Into<Operation>, views: &[View], workgroups: [u32; 3], flops: u64) {
        self.steps.push(Step { operation: operation.into(), views: views.to_vec(), workgroups, flops });
    }

    /// Cotangents of the models that have so many blocks.
    fn cotangents(&self, depth: u32) -> u32 {
        cotangents(&self.depths, depth)
    }

    fn kind(&self) -> u32 {
        norm_kind(self.config.norm)
    }

    fn activation_kind(&self) -> u32 {
        match self.config.act {
            Activation::Relu => 0,
            Activation::Gelu => 1,
            Activation::SwiGlu => 2,
        }
    }

    fn row_workgroups(&self) -> [u32; 3] {
        [self.rows.div_ceil(ROWS_PER_WORKGROUP), 1, 1]
    }

    fn row_flops(&self) -> u64 {
        20 * u64::from(self.rows) * u64::from(self.config.width)
    }

    /// The product that a matrix is part of, if the configuration has it.
    fn family(&self, tensor: Tensor) -> Option<Family> {
        self.families.iter().copied().find(|family| family.first.matrix.tensor == tensor)
    }

    /// The first product of a sublayer, which every configuration has.
    fn input_family(&self, kind: SublayerKind) -> Family {
        let of_kind = self.families.iter().copied().find(|family| family.first.matrix.sublayer == kind);
        of_kind.expect("every sublayer has a matrix")
    }

    /// The product that makes the cross-attention's keys and values.
    fn memory_family(&self) -> Family {
        self.family(Tensor::Ck).expect("cross-attention has keys")
    }

    /// The last product of a sublayer, where it is not the first one.
    fn output_family(&self, kind: SublayerKind) -> Option<Family> {
        self.family(match kind {
            SublayerKind::Attention => Tensor::Wo,
            SublayerKind::CrossAttention => Tensor::Co,
            SublayerKind::FeedForward => Tensor::W2,
        })
    }

    /// Which matrix of a family has gradients that sum to zero over a sequence: that of the keys, for a score that all
    /// of them share changes nothing. Past a norm of its own a key's gradient no longer does.
    fn keys_in(&self, family: &Family) -> Option<u32> {
        match family.first.matrix.tensor {
            Tensor::Wq => qk_segments(self.config).is_none().then_some(1),
            Tensor::Ck => Some(0),
            _ => None,
        }
    }

    fn weight(&self, block: usize, placed: &Placed) -> View {
        let slab = self.slabs.weights.slab(if self.keeps.weights { block } else { 0 });
        slab.after(placed.at)
    }

    /// One tensor of `layers` layers.
    fn random(&mut self, placed: &Placed, first_layer: u32, out: View, layers: u32) {
        self.random_rows(placed, first_layer, out, layers, (1, false));
    }

    /// The same with each row `repeat` times, and added to what is there if `adds`.
    fn random_rows(&mut self, placed: &Placed, first_layer: u32, out: View, layers: u32, (repeat, adds): (u32, bool)) {
        let Placed { matrix, columns: stride, rows: padded_rows, row_padding, column_padding, fixed, .. } = *placed;
        let draws = match fixed {
            true => 2,
            false => u32::from(first_layer != GLOBAL_LAYER && self.config.init.is_uniform()),
        };
        let arguments = RandomWeights {
            columns: matrix.fan_out as u32,
            padded_rows,
            stride,
            row_segment: row_padding.segment,
            row_step: row_padding.step,
            column_segment: column_padding.segment,
            column_step: column_padding.step,
            layer_stride: self.slabs.weights.slab_vec4s,
            tensor: matrix.tensor.id(),
            first_layer,
            seed: self.config.seed,
            draws,
            repeat,
            adds: u32::from(adds),
            shake: 0,
            deviation: matrix.std as f32,
        };
        let threads = padded_rows * stride;
        let flops = 200 * u64::from(threads) * u64::from(layers);
        self.push(arguments, &[out], [threads.div_ceil(64), layers, 1], flops);
    }

    fn inputs(&mut self) {
        let recipe = self.config.placement.recipe();
        let input = if recipe.embedding_norm { self.slabs.embedding.slab(0) } else { self.slabs.stream.slab(0) };
        let (rows, width) = (self.config.rows(), self.config.width as usize);
        let mut embedded = global(self.config, Tensor::Input, (rows, width), 1.0);
        // It is not multiplied as a matrix from the right, so its rows need no padding.
        embedded.rows = self.rows;
        self.random(&embedded, GLOBAL_LAYER, input, 1);
        self.random(&unembedding(self.config), GLOBAL_LAYER, self.slabs.unembedding.slab(0), 1);
        if recipe.embedding_norm {
            let (out, scale) = (self.slabs.stream.slab(0), self.slabs.input_scale.slab(0));
            self.norm(self.kind(), 1.0, input, out, scale);
        }
        if self.config.cross.0 {
            self.memory();
        }
        if self.keeps.weights {
            let runs: Vec<_> = self.slabs.weights.runs().collect();
            for (first, count) in runs {
                self.block_weights(first, count);
            }
        }
    }

    /// All matrices of `count` blocks from `first` on, some blocks at a time: where another run left them, a device
    /// need not make them again.
    fn block_weights(&mut self, first: u32, count: u32) {
        const BLOCKS: u32 = 10;
        for from in (first..first + count).step_by(BLOCKS as usize) {
            for placed in self.placed.clone() {
                let out = self.weight(from as usize, &placed);
                self.random(&placed, from, out, BLOCKS.min(first + count - from));
            }
        }
    }

    /// The rows that cross-attention reads: LayerNorm of what a sequence shares and what a token has of its own.
    fn memory(&mut self) {
        let (rows, width, cosine) = (self.config.rows(), self.config.width as usize, self.config.memory_cos);
        let draws = self.slabs.memory_draws.slab(0);
        let mut own = global(self.config, Tensor::MemoryOwn, (rows, width), (1.0 - cosine).sqrt());
        own.rows = self.rows;
        self.random(&own, GLOBAL_LAYER, draws, 1);
        let mut shared = global(self.config, Tensor::MemoryShared, (rows, width), cosine.sqrt());
        shared.rows = self.rows;
        self.random_rows(&shared, GLOBAL_LAYER, draws, 1, (self.config.tokens, true));
        let (out, scale) = (self.slabs.memory.slab(0), self.slabs.memory_scale.slab(0));
        self.norm(norm_kind(Norm::LayerNorm), 1.0, draws, out, scale);
    }

    /// `y = gain N(x)`.
    fn norm(&mut self, kind: u32, gain: f64, x: View, y: View, scale: View) {
        let arguments = NormForward {
            rows: self.rows,
            width: self.config.width,
            stride: self.stride,
            kind,
            epsilon: NORM_EPSILON as f32,
            gain: gain as f32,
        };
        self.push(arguments, &[x, y, scale], self.row_workgroups(), self.row_flops());
    }

    /// `out = a [W ...]` for the matrices of a family.
    fn matmul(&mut self, a: View, weight: View, out: View, family: &Family) {
        self.matmul_rows(self.rows, [a, weight, out], None, family);
    }

    /// The same of some rows; where the activation has a place, it goes there and its slope to `out`.
    fn matmul_rows(&mut self, rows: u32, [a, weight, out]: [View; 3], activated: Option<View>, family: &Family) {
        let Family { first: placed, groups, .. } = *family;
        let columns = placed.columns * groups;
        let arguments = MatmulForward {
            rows,
            inner: placed.rows / 4,
            a_stride: placed.rows / 4,
            columns,
            group_columns: placed.columns,
            group_stride: placed.rows * placed.columns,
            activates: u32::from(activated.is_some()),
            kind: self.activation_kind(),
        };
        let (x, y) = self.limits.tuning.product().workgroups(rows, columns);
        let flops = self.matmul_flops(family) * u64::from(rows / self.rows);
        let activated = activated.unwrap_or(self.slabs.nothing.slab(0));
        self.push(arguments, &[a, weight, out, activated], [x, y, 1], flops);
    }

    fn matmul_flops(&self, family: &Family) -> u64 {
        8 * u64::from(self.rows) * u64::from(family.vec4s())
    }

    /// What is taken from stored states, and the sums of all partial sums.
    fn statistics(&mut self) {
        self.states_statistics(self.slabs.stream, self.results.stream);
        if self.keeps.stream_gradients {
            self.states_statistics(self.slabs.kept_grad, self.results.gradient[0]);
        }
        if let Some(at) = self.results.model_update {
            self.state_statistics(
                self.slabs.logits_tangent.slab(0),
                1 + DIRECTIONS,
                vec4s(self.config.vocab as usize),
                at,
            );
        }
        let (rows, sublayers) = (self.rows, self.sublayers.len() as u32);
        self.reduce(self.slabs.update_partials.slab(0), self.results.update, 2 * sublayers, rows);
        self.add_up(Of::StreamGradients);
        let (score_rows, _) = score_vec4s(self.config);
        self.reduce(self.slabs.attention_partials.slab(0), self.results.attention, self.config.depth, score_rows);
        self.norm_scales();
        for family in 0..self.weight_gradients.len() {
            self.add_up(Of::WeightGradients(family));
        }
        let models = self.depths.len() as u32;
        let (x, y) = gradient_tiles(self.limits.tuning, &unembedding(self.config));
        self.reduce(self.slabs.unembedding_grad_partials.slab(0), self.results.grad_unembed, models, x * y);
        self.reduce(self.slabs.head_grad_partials.slab(0), self.results.head_grad, models, rows);
        self.reduce(self.slabs.loss_partials.slab(0), self.results.loss, models, rows);
    }

    /// Of every state in its slab.
    fn states_statistics(&mut self, states: slabs::Slabs, at: u32) {
        let runs: Vec<_> = states.runs().collect();
        for (first, count) in runs {
            let at = at + 3 * first * self.config.batch;
            self.state_statistics(states.slab(first as usize), count, self.stride, at);
        }
    }

    /// Of `count` states, (N, 4 stride) each, that follow each other.
    fn state_statistics(&mut self, states: View, count: u32, stride: u32, at: u32) {
        let Config { tokens, batch, .. } = *self.config;
        let results = View { buffer: self.results.buffer, at };
        let flops = 80 * u64::from(count) * u64::from(self.rows) * u64::from(stride);
        let arguments = StreamStatistics { tokens, stride, batch, state_stride: self.rows * stride };
        self.push(arguments, &[states, results], [count, batch, 1], flops);
    }

    /// The scales of the norms that the stream meets, summed over its rows: for each stretch of sublayers that have theirs
    /// in one buffer one dispatch.
    fn norm_scales(&mut self) {
        let results = View { buffer: self.results.buffer, at: self.results.norm_scale };
        let source = |k: usize| match self.sublayers[k] {
            Sublayer { sum_norm: true, .. } => Some((self.slabs.residual_scale, self.rows)),
            Sublayer { input_norm: true, .. } => Some((self.slabs.input_scale, 0)),
            _ => None,
        };
        let mut stretches: Vec<(View, u32, SumRows)> = Vec::new();
        for k in 0..self.sublayers.len() {
            let Some((slabs, offset)) = source(k) else { continue };
            let arguments = SumRows { count: self.rows, offset, slab_stride: slabs.slab_vec4s };
            let view = slabs.slab(k);
            match stretches.last_mut() {
                Some((first, count, known))
                    if *known == arguments
                        && first.buffer == view.buffer
                        && first.at + *count * slabs.slab_vec4s == view.at =>
                {
                    *count += 1;
                }
                _ => stretches.push((view, 1, arguments)),
            }
        }
        let mut done = 0;
        for (view, count, arguments) in stretches {
            let flops = u64::from(count) * u64::from(self.rows);
            self.push(arguments, &[view, results.after(done)], [count, 1, 1], flops);
            done += count;
        }
    }
}
