//! From a configuration to a plan.

mod backward;
mod forward;
mod slabs;

use crate::model::random::GLOBAL_LAYER;
use crate::model::{Activation, Config, Matrix, NORM_EPSILON, Norm, QkNorm, Sublayer, SublayerKind, Tensor, matrices};

use super::layout::{BufferSpec, Limits, PlanError, Results, View};
use super::{
    MatmulBackward, MatmulForward, NormForward, Operation, Plan, RandomWeights, ReduceSquareSums, Step,
    StreamStatistics,
};
use slabs::{SlabTable, allocate};

/// Rows that a row kernel's workgroup takes.
const ROWS_PER_WORKGROUP: u32 = 4;
/// Rows and vec4 columns that a matrix product's workgroup makes.
const MATMUL_TILE: (u32, u32) = (32, 16);
/// vec4 columns of g and of x that a gradient norm's workgroup takes.
const GRADIENT_TILE: (u32, u32) = (16, 8);
/// A NaN for kernels, which WGSL cannot spell.
const NAN_BITS: u32 = 0x7fc0_0000;

/// Plans one forward and backward pass.
///
/// # Errors
/// Where a device of these limits cannot hold the run.
pub fn build(config: &Config, limits: &Limits) -> Result<Plan, PlanError> {
    let mut builder = Builder::new(config, limits)?;
    builder.inputs();
    builder.forward();
    builder.loss();
    builder.backward();
    builder.statistics();
    builder.finish()
}

fn vec4s(floats: usize) -> u32 {
    floats.div_ceil(4) as u32
}

/// Workgroups in x and y of a gradient norm over `x_columns` by `g_columns` vec4s.
fn gradient_tiles(x_columns: u32, g_columns: u32) -> (u32, u32) {
    (g_columns.div_ceil(GRADIENT_TILE.0), x_columns.div_ceil(GRADIENT_TILE.1))
}

/// Segments of the norm on queries and keys: how many and how long.
fn qk_segments(config: &Config) -> Option<(u32, u32)> {
    match config.qk_norm {
        QkNorm::None => None,
        QkNorm::Head => Some((config.heads, config.head_width() as u32)),
        QkNorm::Full => Some((1, config.width)),
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
}

/// Matrices of one shape that follow each other and are multiplied with the same input: one product serves them all.
#[derive(Clone, Copy)]
struct Family {
    index: usize,
    first: Placed,
    groups: u32,
}

fn families(placed: &[Placed]) -> Vec<Family> {
    let mut list: Vec<Family> = Vec::new();
    for &placed in placed {
        match (placed.matrix.tensor, list.last_mut()) {
            (Tensor::Wk | Tensor::Wv | Tensor::Wg, Some(family)) => family.groups += 1,
            _ => list.push(Family { index: list.len(), first: placed, groups: 1 }),
        }
    }
    list
}

struct Builder<'a> {
    config: &'a Config,
    limits: &'a Limits,
    sublayers: Vec<Sublayer>,
    placed: Vec<Placed>,
    families: Vec<Family>,
    keeps_weights: bool,
    buffers: Vec<BufferSpec>,
    steps: Vec<Step>,
    /// vec4s of a row of the stream.
    stride: u32,
    /// vec4s of a row of the hidden layer.
    hidden_stride: u32,
    rows: u32,
    slabs: SlabTable,
    results: Results,
}

impl<'a> Builder<'a> {
    fn new(config: &'a Config, limits: &'a Limits) -> Result<Self, PlanError> {
        let mut at = 0;
        let placed: Vec<Placed> = matrices(config)
            .into_iter()
            .map(|matrix| {
                let (rows, columns) = (4 * vec4s(matrix.fan_in), vec4s(matrix.fan_out));
                let placed = Placed { matrix, at, columns, rows };
                at += rows * columns;
                placed
            })
            .collect();
        let keeps_weights = 16 * u64::from(at) * u64::from(config.depth) <= limits.kept_weight_bytes;
        let families = families(&placed);
        let (buffers, slabs, results) = allocate(config, limits, &placed, &families, keeps_weights)?;
        Ok(Self {
            config,
            limits,
            sublayers: config.sublayers(),
            placed,
            families,
            keeps_weights,
            buffers,
            steps: Vec::new(),
            stride: vec4s(config.width as usize),
            hidden_stride: vec4s(config.hidden()),
            rows: config.rows() as u32,
            slabs,
            results,
        })
    }

    fn finish(self) -> Result<Plan, PlanError> {
        let allowed = self.limits.workgroups;
        let most = self.steps.iter().flat_map(|step| step.workgroups).max().unwrap_or(0);
        if most > allowed {
            return Err(PlanError::TooManyWorkgroups { needed: most, allowed });
        }
        Ok(Plan { config: self.config.clone(), buffers: self.buffers, steps: self.steps, results: self.results })
    }

    fn push(&mut self, operation: impl Into<Operation>, views: &[View], workgroups: [u32; 3], flops: u64) {
        self.steps.push(Step { operation: operation.into(), views: views.to_vec(), workgroups, flops });
    }

    fn kind(&self) -> u32 {
        match self.config.norm {
            Norm::LayerNorm => 0,
            Norm::RmsNorm => 1,
        }
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

    /// The last product of a sublayer, where it is not the first one.
    fn output_family(&self, kind: SublayerKind) -> Option<Family> {
        self.family(match kind {
            SublayerKind::Attention => Tensor::Wo,
            SublayerKind::FeedForward => Tensor::W2,
        })
    }

    fn weight(&self, block: usize, placed: &Placed) -> View {
        let slab = self.slabs.weights.slab(if self.keeps_weights { block } else { 0 });
        slab.after(placed.at)
    }

    fn random(&mut self, tensor: Tensor, shape: (usize, usize), std: f64, first_layer: u32, out: View, layers: u32) {
        let (rows, columns) = shape;
        let stride = vec4s(columns);
        // x_0 is not multiplied as a matrix from the right, so its rows need no padding.
        let padded_rows = if tensor == Tensor::Input { rows as u32 } else { 4 * vec4s(rows) };
        let arguments = RandomWeights {
            rows: rows as u32,
            columns: columns as u32,
            padded_rows,
            stride,
            layer_stride: self.slabs.weights.slab_vec4s,
            tensor: tensor.id(),
            first_layer,
            seed: self.config.seed,
            uniform_draws: u32::from(first_layer != GLOBAL_LAYER && self.config.init.is_uniform()),
            shake: 0,
            deviation: std as f32,
        };
        let threads = padded_rows * stride;
        let flops = 200 * u64::from(threads) * u64::from(layers);
        self.push(arguments, &[out], [threads.div_ceil(64), layers, 1], flops);
    }

    fn inputs(&mut self) {
        let (rows, d, vocab) = (self.rows as usize, self.config.width as usize, self.config.vocab as usize);
        let recipe = self.config.placement.recipe();
        let input = if recipe.embedding_norm { self.slabs.embedding.slab(0) } else { self.slabs.stream.slab(0) };
        self.random(Tensor::Input, (rows, d), 1.0, GLOBAL_LAYER, input, 1);
        let unembedding = self.slabs.unembedding.slab(0);
        self.random(Tensor::Unembedding, (d, vocab), 1.0 / (d as f64).sqrt(), GLOBAL_LAYER, unembedding, 1);
        if recipe.embedding_norm {
            let (out, scale) = (self.slabs.stream.slab(0), self.slabs.input_scale.slab(0));
            self.norm(input, out, scale);
        }
        if self.keeps_weights {
            let runs: Vec<_> = self.slabs.weights.runs().collect();
            for (first, count) in runs {
                self.block_weights(first, count);
            }
        }
    }

    /// All matrices of `count` blocks from `first` on.
    fn block_weights(&mut self, first: u32, count: u32) {
        for placed in self.placed.clone() {
            let Matrix { tensor, fan_in, fan_out, std, .. } = placed.matrix;
            let out = self.weight(first as usize, &placed);
            self.random(tensor, (fan_in, fan_out), std, first, out, count);
        }
    }

    fn norm(&mut self, x: View, y: View, scale: View) {
        let arguments = NormForward {
            rows: self.rows,
            width: self.config.width,
            stride: self.stride,
            kind: self.kind(),
            epsilon: NORM_EPSILON as f32,
        };
        self.push(arguments, &[x, y, scale], self.row_workgroups(), self.row_flops());
    }

    /// `out = a [W ...]` for the matrices of a family.
    fn matmul(&mut self, a: View, weight: View, out: View, family: &Family) {
        let Family { first: placed, groups, .. } = *family;
        let columns = placed.columns * groups;
        let arguments = MatmulForward {
            rows: self.rows,
            inner: placed.rows / 4,
            a_stride: placed.rows / 4,
            columns,
            group_columns: placed.columns,
            group_stride: placed.rows * placed.columns,
        };
        let workgroups = [columns.div_ceil(MATMUL_TILE.1), self.rows.div_ceil(MATMUL_TILE.0), 1];
        self.push(arguments, &[a, weight, out], workgroups, self.matmul_flops(family));
    }

    fn matmul_flops(&self, family: &Family) -> u64 {
        let Family { first: placed, groups, .. } = *family;
        8 * u64::from(self.rows) * u64::from(placed.rows) * u64::from(placed.columns) * u64::from(groups)
    }

    /// `out = g W^T`, summed over the matrices of a family; through the activation where `hidden` is given.
    fn matmul_transposed(&mut self, g: View, weight: View, hidden: Option<View>, out: View, family: &Family) {
        let Family { first: placed, groups, .. } = *family;
        let out_columns = placed.rows / 4;
        let mode = match (hidden, self.config.act) {
            (None, _) => 0,
            (Some(_), Activation::Relu | Activation::Gelu) => 1,
            (Some(_), Activation::SwiGlu) => 2,
        };
        let arguments = MatmulBackward {
            rows: self.rows,
            g_stride: placed.columns * groups,
            group_columns: placed.columns,
            groups,
            group_stride: placed.rows * placed.columns,
            out_columns,
            mode,
            kind: self.activation_kind(),
        };
        let workgroups = [out_columns.div_ceil(MATMUL_TILE.1), self.rows.div_ceil(MATMUL_TILE.0), 1];
        let views = [g, weight, hidden.unwrap_or(weight), out];
        self.push(arguments, &views, workgroups, self.matmul_flops(family));
    }

    /// What is taken from stored states, and the sums of all partial sums.
    fn statistics(&mut self) {
        let results = View { buffer: self.results.buffer, at: 0 };
        let stream = self.slabs.stream;
        let runs: Vec<_> = stream.runs().collect();
        for (first, count) in runs {
            let arguments = StreamStatistics {
                tokens: self.config.tokens,
                stride: self.stride,
                batch: self.config.batch,
                state_stride: stream.slab_vec4s,
            };
            let at = self.results.stream + 3 * first * self.config.batch;
            let flops = u64::from(count) * self.row_flops();
            let views = [stream.slab(first as usize), results.after(at)];
            self.push(arguments, &views, [count, self.config.batch, 1], flops);
        }
        let states = self.config.depth + 1;
        let (rows, updates) = (self.rows, 2 * self.sublayers.len() as u32);
        self.reduce(self.slabs.update_partials.slab(0), self.results.update, updates, rows);
        self.reduce(self.slabs.stream_grad_partials.slab(0), self.results.grad_stream, states, rows);
        for family in self.families.clone() {
            let (x, y) = gradient_tiles(family.first.rows / 4, family.first.columns);
            let partials = self.slabs.weight_grad_partials[family.index].slab(0);
            let (at, groups) = self.results.grad_weight[family.index];
            self.reduce(partials, at, self.config.depth * groups, x * y);
        }
        let (x, y) = gradient_tiles(self.stride, vec4s(self.config.vocab as usize));
        self.reduce(self.slabs.unembedding_grad_partials.slab(0), self.results.grad_unembed, 1, x * y);
        self.reduce(self.slabs.loss_partials.slab(0), self.results.loss, 1, rows);
    }

    fn reduce(&mut self, partials: View, at: u32, outputs: u32, count: u32) {
        let results = View { buffer: self.results.buffer, at };
        let flops = 4 * u64::from(outputs) * u64::from(count);
        self.push(ReduceSquareSums { count }, &[partials, results], [outputs, 1, 1], flops);
    }
}
