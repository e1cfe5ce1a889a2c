//! The WGSL of a kernel, put together from its file and what it imports.

use super::{FIRST_GROUP, Kernel, Tuning};

/// The text of a file below `shaders/` without comments, indentation and empty lines: the page is downloaded.
macro_rules! wgsl {
    ($stem:expr) => {{
        const FILE: &str = include_str!(concat!("../../shaders/", $stem, ".wgsl"));
        const STRIPPED: ([u8; FILE.len()], usize) = strip(FILE);
        const TEXT: [u8; STRIPPED.1] = *STRIPPED.0.first_chunk().expect("no longer than the file");
        match str::from_utf8(&TEXT) {
            Ok(text) => text,
            Err(_) => panic!("comments begin and end between characters"),
        }
    }};
}

/// Puts a text without comments, indentation and empty lines at the front of an array; returns that and its length.
const fn strip<const N: usize>(text: &str) -> ([u8; N], usize) {
    let text = text.as_bytes();
    let (mut out, mut length, mut i) = ([0; N], 0, 0);
    while i < N {
        let starts_line = length == 0 || out[length - 1] == b'\n';
        if text[i] == b'/' && text[i + 1] == b'/' {
            while text[i] != b'\n' {
                i += 1;
            }
        } else {
            if !(starts_line && matches!(text[i], b' ' | b'\n')) {
                out[length] = text[i];
                length += 1;
            }
            i += 1;
        }
    }
    (out, length)
}

/// The files of `shaders/shared/`, by name.
const SHARED: &[(&str, &str)] = &[
    ("activation", wgsl!("shared/activation")),
    ("attention", wgsl!("shared/attention")),
    ("finite", wgsl!("shared/finite")),
    ("gradient_squares", wgsl!("shared/gradient_squares")),
    ("gradient_tile", wgsl!("shared/gradient_tile")),
    ("gram", wgsl!("shared/gram")),
    ("norm", wgsl!("shared/norm")),
    ("random", wgsl!("shared/random")),
    ("row", wgsl!("shared/row")),
    ("row_squares", wgsl!("shared/row_squares")),
    ("square_sum", wgsl!("shared/square_sum")),
];

macro_rules! sources {
    ($kernel:expr; $($name:ident = $stem:literal),+ $(,)?) => {
        match $kernel { $(Kernel::$name => wgsl!($stem)),+ }
    };
}

fn source(kernel: Kernel) -> &'static str {
    sources!(kernel;
        RandomWeights = "random_weights",
        NormForward = "norm_forward",
        MatmulForward = "matmul_forward",
        GatedActivation = "gated_activation",
        QkNormForward = "qk_norm_forward",
        AttentionForward = "attention_forward",
        ResidualForward = "residual_forward",
        CrossEntropy = "cross_entropy",
        MatmulBackward = "matmul_backward",
        ResidualBackward = "residual_backward",
        SkipBackward = "skip_backward",
        AttentionQueryBackward = "attention_query_backward",
        AttentionKeyBackward = "attention_key_backward",
        QkNormBackward = "qk_norm_backward",
        WeightGradientNorm = "weight_gradient_norm",
        WeightGradientGram = "weight_gradient_gram",
        WeightGradient = "weight_gradient",
        MatmulTangent = "matmul_tangent",
        NormTangent = "norm_tangent",
        ActivationTangent = "activation_tangent",
        AttentionTangent = "attention_tangent",
        ResidualTangent = "residual_tangent",
        StreamStatistics = "stream_statistics",
        SumRows = "sum_rows",
        ReduceSquareSums = "reduce_square_sums",
    )
}

/// The WGSL of a kernel for a device. Beside WGSL its file has four things: `#import NAME` stands for
/// `shaders/shared/NAME.wgsl`, once; the lines from `#repeat i NAME` to `#end` are written out NAME times, `{i}` in them
/// being 0, 1 and so on, for registers cannot be indexed; those from `#if NAME` are there unless NAME is 0; and the
/// constants of [`Tuning`] are there by name. Workgroups count from the first one of the uniform on, which the file does
/// not know of.
///
/// # Panics
/// Where a file imports or counts what is not there, or has no uniform or entry point; a test composes every kernel.
#[must_use]
pub fn compose(kernel: Kernel, tuning: Tuning) -> String {
    let constants = tuning.constants();
    let mut text: String = constants.iter().map(|(name, value)| format!("const {name} = {value}u;\n")).collect();
    let source = import(&count_from_first(source(kernel), kernel.stem()), kernel.stem(), &mut Vec::new());
    repeat(&mut source.lines(), &constants, &mut text);
    text
}

/// Adds [`FIRST_GROUP`] to the uniform, and to what the entry point knows of its place among all workgroups.
fn count_from_first(source: &str, stem: &str) -> String {
    let missing = |what: &str| -> ! { panic!("{stem}.wgsl has no {what}") };
    let (before, rest) = source.split_once("struct Params {").unwrap_or_else(|| missing("struct Params"));
    let (fields, rest) = rest.split_once('}').unwrap_or_else(|| missing("end of Params"));
    let (between, rest) = rest.split_once("@workgroup_size(").unwrap_or_else(|| missing("workgroup size"));
    let (size, rest) = rest.split_once(')').unwrap_or_else(|| missing("workgroup size"));
    let (parameters, body) = rest.split_once('{').unwrap_or_else(|| missing("entry point"));
    let firsts: String = FIRST_GROUP.iter().map(|name| format!("    {name}: u32,\n")).collect();
    let mut threads: Vec<&str> = size.split(',').map(str::trim).collect();
    threads.resize(3, "1");
    let first = format!("vec3<u32>({})", FIRST_GROUP.map(|name| format!("p.{name}")).join(", "));
    let first_thread = format!("{first} * vec3<u32>({})", threads.join(", "));
    let (mut parameters, mut places) = (parameters.to_owned(), String::new());
    for (builtin, offset) in [("@builtin(workgroup_id) ", first), ("@builtin(global_invocation_id) ", first_thread)] {
        if let Some((head, tail)) = parameters.clone().split_once(builtin) {
            let (name, tail) = tail.split_once(':').unwrap_or_else(|| missing("type of a parameter"));
            parameters = format!("{head}{builtin}{name}_in_part:{tail}");
            places.push_str(&format!("\n    let {name} = {name}_in_part + {offset};"));
        }
    }
    if places.is_empty() {
        missing("workgroup_id or global_invocation_id");
    }
    format!("{before}struct Params {{{fields}{firsts}}}{between}@workgroup_size({size}){parameters}{{{places}{body}")
}

fn import(text: &str, file: &str, imported: &mut Vec<String>) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let Some(name) = line.strip_prefix("#import ") else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        if imported.iter().any(|known| known == name) {
            continue;
        }
        imported.push(name.to_owned());
        let Some((_, shared)) = SHARED.iter().find(|(known, _)| *known == name) else {
            panic!("{file}.wgsl imports {name}, which is not in shaders/shared");
        };
        out.push_str(&import(shared, name, imported));
    }
    out
}

/// Writes lines out up to the end of their block.
fn repeat<'a>(lines: &mut impl Iterator<Item = &'a str>, constants: &[(&str, u32)], out: &mut String) {
    while let Some(line) = lines.next() {
        if line == "#end" {
            return;
        }
        let constant = |name: &str| {
            let known = constants.iter().find(|(known, _)| *known == name);
            known.unwrap_or_else(|| panic!("{line}: there is no constant {name}")).1
        };
        if let Some(name) = line.strip_prefix("#if ") {
            let mut block = String::new();
            repeat(&mut *lines, constants, &mut block);
            if constant(name) > 0 {
                out.push_str(&block);
            }
        } else if let Some(head) = line.strip_prefix("#repeat ") {
            let (variable, count) = head.split_once(' ').unwrap_or_else(|| panic!("#repeat needs a name and a count"));
            let mut block = String::new();
            repeat(&mut *lines, constants, &mut block);
            for i in 0..constant(count) {
                out.push_str(&block.replace(&format!("{{{variable}}}"), &i.to_string()));
            }
        } else {
            out.push_str(line);
            out.push('\n');
        }
    }
}
