//! From a configuration to a plan.

mod backward;
mod forward;
mod gradient_norm;
mod gram;
mod head;
mod inputs;
mod keeps;
mod matrices;
mod slabs;
mod statistics;
mod sums;
mod tangent;

use crate::model::{Activation, Config, NORM_EPSILON, Norm, QkNorm, Sublayer, SublayerKind, Tensor};
use crate::sort::sort_short;

use super::layout::{BufferSpec, Limits, PlanError, Results, View};
use super::{Extent, MatmulForward, NormForward, Operation, Plan, Step, Tuning};
use gram::NormCut;
use keeps::{Ends, Keeps, within_budget};
use matrices::{Family, Placed, families, place, trained, unembedding};
use slabs::{SlabTable, allocate};
use sums::Sums;

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
    build_models(config, limits, branch_variances, ends, &[config.depth])
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
    build_models(config, limits, branch_variances, Ends::AtTheInput, &descending)
}

/// Of the models of some depths, the deepest first.
fn build_models(
    config: &Config,
    limits: &Limits,
    branch_variances: &[f64],
    ends: Ends,
    depths: &[u32],
) -> Result<Plan, PlanError> {
    let sublayers = config.sublayers_after(branch_variances);
    within_budget(config, ends, depths.len(), |keeps| {
        let mut builder = Builder::new(config, limits, sublayers.clone(), ends, keeps, depths.to_vec())?;
        builder.inputs();
        builder.forward();
        builder.backward();
        if ends == Ends::AfterTheUpdate {
            builder.tangent();
        }
        builder.statistics();
        builder.finish()
    })
}

/// Plans a forward pass alone, for the variances of what its sublayers return.
///
/// # Errors
/// Where a device of these limits cannot hold the run.
pub fn profile(config: &Config, limits: &Limits) -> Result<Plan, PlanError> {
    let ends = Ends::AfterTheBlocks;
    within_budget(config, ends, 1, |keeps| {
        let mut builder = Builder::new(config, limits, config.sublayers(), ends, keeps, vec![config.depth])?;
        builder.inputs();
        builder.forward();
        let (rows, sublayers) = (builder.rows, builder.sublayers.len() as u32);
        builder.reduce(builder.slabs.update_partials.slab(0), builder.results.update, 2 * sublayers, rows);
        builder.finish()
    })
}

fn vec4s(floats: usize) -> u32 {
    floats.div_ceil(4) as u32
}

/// How many of the models have so many blocks; they are the first, for the deepest one is.
fn cotangents(depths: &[u32], depth: u32) -> u32 {
    depths.partition_point(|&of_model| of_model >= depth) as u32
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

struct Builder<'a> {
    config: &'a Config,
    limits: &'a Limits,
    sublayers: Vec<Sublayer>,
    placed: Vec<Placed>,
    families: Vec<Family>,
    keeps: Keeps,
    /// The block whose activations lie in the slabs, where those of all are not kept.
    active: Option<usize>,
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
    norm_cuts: Vec<NormCut>,
}

impl<'a> Builder<'a> {
    fn new(
        config: &'a Config,
        limits: &'a Limits,
        sublayers: Vec<Sublayer>,
        ends: Ends,
        keeps: Keeps,
        depths: Vec<u32>,
    ) -> Result<Self, PlanError> {
        let placed = place(config);
        let families = families(&placed);
        let cut = |family: &Family| NormCut::new(config, limits.tuning, family, depths.len());
        let norm_cuts: Vec<NormCut> = trained(&families).map(cut).collect();
        let (buffers, slabs, results) = allocate(config, limits, &placed, &families, &norm_cuts, keeps, &depths)?;
        let (needed, allowed) = (buffers.iter().map(BufferSpec::bytes).sum(), limits.budget_bytes);
        if needed > allowed {
            // Without its steps, which could only add to that.
            return Err(PlanError::TooLarge { needed, allowed });
        }
        let rows = config.rows() as u32;
        let of_family = |family: &Family| {
            let partials = norm_cuts[family.index].partials();
            Sums::new(slabs.weight_grad_partials[family.index], partials, &results.grad_weight[family.index].0)
        };
        Ok(Self {
            config,
            limits,
            keeps,
            active: None,
            buffers,
            steps: Vec::new(),
            stride: vec4s(config.width as usize),
            hidden_stride: vec4s(config.hidden()),
            rows,
            waiting: vec![Vec::new(); families.len()],
            weight_gradients: trained(&families).map(of_family).collect(),
            stream_gradients: Sums::new(slabs.stream_grad_partials, rows, &results.grad_stream),
            norm_cuts,
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
        let plan = Plan {
            config: self.config.clone(),
            buffers: self.buffers,
            steps: self.steps,
            results: self.results,
            depths: self.depths,
        };
        let (needed, allowed) = (plan.peak_bytes(), self.limits.budget_bytes);
        if needed > allowed { Err(PlanError::TooLarge { needed, allowed }) } else { Ok(plan) }
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
        self.slabs.weights.slab(block).after(placed.at)
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
}
