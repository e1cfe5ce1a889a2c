//! Texts of the page: its controls, notices, tables and help.

use super::{find, texts};

texts! { "page":
    /// What the page is about, beside the wordmark.
    tagline;
    page_title(name, depth);
    copy_link;
    tools;
    copied;
    /// What is wrong with a file.
    no_depth(depth);
    no_quantity(name);
    wrong_length(name, values, wanted);
    theme_to_dark;
    theme_to_light;
    projector;
    language;
    depth;
    blocks;
    block;
    fewer;
    more;
    pause;
    play(from, to);
    depth_help;
    /// The button that makes play faster, and from the fastest the slowest.
    speed(times);
    repeat;
    shortcuts;
    shortcuts_lead;
    shortcuts_off;
    close;
    key_space;
    key_play;
    key_arrows;
    key_step;
    key_page;
    key_leap;
    key_ends;
    key_extremes;
    key_digits;
    key_placements;
    key_angles;
    key_speed;
    key_repeat;
    key_help;
    key_projector;
    key_chart;
    placement;
    more_placements;
    controls;
    advanced;
    readings;
    // What is dashed in the drawings of blocks.
    key_back;
    key_ring;
    parts_of(label);
    part_self_attention;
    part_cross_attention;
    part_feed_forward;
    part_sum;
    part_norm(place);
    /// What was measured at a part, and where.
    part_measured(quantity, values);
    value_in(value, block);
    part_lead;
    charts;
    measures;
    chart_options;
    linear;
    log;
    /// Fits the axis anew.
    fit;
    /// The unit of a ratio to a model.
    divided_by(unit, model);
    /// The unit of a difference from a model.
    less(unit, model);
    /// The chart of one model.
    of_model(caption, model);
    first_statistic;
    table;
    choose_placement;
    computing;
    in_float64;
    dismiss;
    try_again;
    use_processor;
    out_of_memory;
    refused;
    link_trouble;
    no_webgpu;
    preset;
    no_preset;
    /// Before what of the original a preset has not.
    left_out;
    views;
    /// From a frame to the page in a window of its own.
    open_whole;
    /// Blocks whose value a small measure leaves out, and why.
    skipped(count, of, why);
    tour;
    tour_count(step, of);
    tour_1;
    tour_1_text;
    tour_2;
    tour_2_text;
    tour_3;
    tour_3_text;
    tour_4;
    tour_4_text;
    tour_5;
    tour_5_text;
    back;
    next;
    skip;
    tour_over;
    compare;
    headlines;
    pin;
    pin_help;
    unpin(name);
    all_pinned;
    most_pinned(count);
    models;
    stream_growth;
    first_of(quantity);
    last_of(quantity);
    first_over_last;
    stream_exponent;
    gradient_exponent;
    parameters;
    /// How many of the parameters are those of norms.
    of_norms(count);
    gflop;
    /// A model and what else is particular to it.
    and_choice(name, choice);
    choice_of(key, choice);
    theory;
    draw_theory;
    /// The edges of the middle half of several seeds.
    middle_half(low, high);
    /// A count of blocks.
    depth_in_words(count);
    /// A curve of theory and what it is drawn over.
    overlay(quantity, name);
    under_theory(value, block);
    over_theory(value, block);
    times_theory(value, block);
    mark_zero;
    mark_underflow(precision);
    mark_unresolved(precision);
    mark_overflow(precision);
    mark_not_a_number;
    update_ratio;
    update_ratio_unit;
    token_cosine;
    token_cosine_unit;
    /// How far the largest value is from the end of half precision.
    headroom;
    headroom_unit;
    model_update;
    by_sign(label, value);
    no_gate;
    no_output_projection;
    no_matrix;
    nothing_beside(model);
    nothing_to_compare(model);
    /// The caption of a table.
    table_caption(quantity, unit);
    /// Said where a reading is of another depth.
    of_depth(depth);
    pass_failed(label, depth);
    device_lost_in_pass(depth);
    device_lost;
    kept;
    measured_kept;
    webgpu_software;
    webgpu_named(adapter);
    webgpu_software_named(adapter);
    processor;
    processor_reference;
    looking;
    /// How long the passes took.
    pass_time(count, time);
    no_dispatches;
    steps(steps, memory);
    dispatches(dispatches, submits, memory);
    seed(seed);
    cancel;
    run_again;
    /// Read aloud once a run is long.
    takes_long;
    under_a_second;
    about_seconds(seconds);
    about_minutes(minutes);
    about_hours(hours);
    /// How far a long run is.
    work(label, done, all);
    work_left(label, done, all, left);
    /// A run that was ended.
    cancelled(done, all);
    /// A pass under way.
    running(label, percent);
    last_block_values(values);
    last_block_values_and(values, notes);
    /// Said where all that is shown comes from the atlas.
    from_atlas;
    atlas_title;
    atlas_lead;
    atlas_help;
    panels;
    sweep;
    go_on;
    not_measured;
    depth_column;
    depths(count);
    depths_of_placements(count, placements);
    models_of_placements(count, placements);
    models_left(missing, all);
    and_time(what, time);
    models_done(done, of);
    models_done_left(done, of, left);
    /// A sweep that is done.
    swept(models);
    sweep_running;
    sweep_done;
    sweep_no_plan(label, depth, why);
    sweep_failed(label, why);
    /// A place in a panel.
    place(depth, block);
    /// What a panel shows.
    panel(label, quantity);
    colors(low, high);
    colors_log(low, high);
    textures(scale, what);
    /// The button of the table of a row.
    row_table(depth);
    /// The button of the table of a column.
    column_table(block);
    /// The caption of the table of a row.
    row_caption(quantity, unit, depth);
    /// The caption of the table of a column.
    column_caption(quantity, unit, block);
    /// What all panels have in common.
    panels_model(choices, width, heads, batch, tokens, seed);
    /// Which depth is outlined.
    outlined(depth);
    claims_title;
    claims_lead;
    claim_head;
    literature_head;
    measured_head;
    verdict_head;
    filters;
    show;
    test;
    stop;
    waiting;
    second_hand;
    no_source;
    cited;
    needs_training;
    by_literature;
    /// What a claim says, drawn beside what was measured.
    claimed;
    /// Along what a curve runs.
    by_block;
    first_by_depth;
    last_by_depth;
    largest_by_depth;
    fall_by_depth;
    by_depth;
    test_all;
    test_these;
    /// How many claims are shown.
    claims_shown(count, of);
    /// A test under way.
    testing(percent);
    measured_on_gpu(literature);
    measured_on_cpu(literature);
    measured_in_float64(literature);
    /// The verdict of the literature beside a measured one.
    literature_says(verdict);
    /// The guide in full.
    in_guide(title);
    /// A value that gave way to another.
    is_now(key, used, why);
    /// A value that was refused.
    not_allowed(text, allowed, used);
}

/// The text of an entry of a list, by its key; none for an entry without words.
fn listed(list: &str, key: &str) -> &'static str {
    find(&format!("page.{list}.{key}")).unwrap_or_default()
}

/// The label of the control of a key.
#[must_use]
pub(crate) fn label(key: &str) -> &'static str {
    listed("label", key)
}

/// The name of a value of a key. A value that is called the same wherever it occurs has its name once; a proper name is
/// the value itself.
#[must_use]
pub(crate) fn choice(key: &str, value: &str) -> String {
    let value = match value {
        "" => "auto",
        "0" => "off",
        "1" => "on",
        other => other,
    };
    let names = [format!("page.choice.{key}.{value}"), format!("page.choice.{value}"), format!("page.title.{value}")];
    names.iter().find_map(|name| find(name)).unwrap_or(value).into()
}

/// One line on a control, or on the value it has.
#[must_use]
pub(crate) fn help(key: &str, value: &str) -> &'static str {
    let of_value = find(&format!("page.help.{key}.{value}"));
    of_value.unwrap_or_else(|| listed("help", key))
}

/// One line on a placement.
#[must_use]
pub(crate) fn placement_help(key: &str) -> &'static str {
    listed("placement", key)
}

/// The name of a view.
#[must_use]
pub(crate) fn view(key: &str) -> &'static str {
    listed("view", key)
}

/// What presets of a kind are.
#[must_use]
pub(crate) fn preset_kind(key: &str) -> &'static str {
    listed("preset_kind", key)
}

/// The title of a quantity, by its name in JSON without the matrix; of a gradient with respect to a matrix, what comes
/// before the matrix.
#[must_use]
pub(crate) fn title(quantity: &str) -> &'static str {
    listed("title", quantity)
}

/// The unit of a quantity or its definition.
#[must_use]
pub(crate) fn unit(quantity: &str) -> &'static str {
    listed("unit", quantity)
}

/// The names that the functions above ask for. Keys that the page has no control for, or controls without words, have
/// none.
#[cfg(test)]
pub(super) fn by_table() -> Vec<String> {
    use crate::model::{Config, Placement};
    use crate::presets::PresetKind;
    use crate::share::{Kind, View, keys};
    use crate::stats::Quantity;

    const NO_CONTROL: [&str; 20] = [
        "v",
        "preset",
        "presets",
        "theme",
        "embed",
        "hide",
        "view",
        "claim",
        "placement",
        "depth",
        "first_statistic",
        "first_scale",
        "statistic_scale",
        "theory",
        "projector",
        "speed",
        "repeat",
        "pin",
        "tour",
        "lang",
    ];
    /// The shelf names the values of these.
    const SHELF: [&str; 3] = ["guide", "topic", "verdict"];
    /// Keys each value of which has help of its own.
    const BY_VALUE: [&str; 3] = ["init", "norm", "act"];

    let mut names: Vec<String> = Vec::new();
    names.extend(["all", "none", "off", "on"].map(|value| format!("page.choice.{value}")));
    names.extend(["engine", "final_norm"].map(|key| format!("page.choice.{key}.auto")));
    names.extend(Placement::ALL.iter().map(|placement| format!("page.placement.{}", placement.key())));
    names.extend(View::ALL.iter().map(|view| format!("page.view.{}", view.key())));
    names.extend(PresetKind::ALL.iter().map(|kind| format!("page.preset_kind.{}", kind.key())));
    let mut quantities: Vec<_> =
        Quantity::all(&Config::default()).into_iter().chain(Quantity::UPDATES).map(Quantity::stem).collect();
    quantities.dedup();
    names.extend(quantities.iter().flat_map(|stem| [format!("page.title.{stem}"), format!("page.unit.{stem}")]));
    for key in keys().iter().filter(|key| !NO_CONTROL.contains(&key.name)) {
        names.push(format!("page.label.{}", key.name));
        if SHELF.contains(&key.name) {
            continue;
        }
        let values = match key.kind {
            Kind::Choice(values) | Kind::List(values) => values,
            _ => &[],
        };
        let is_plain = |value: &&&str| matches!(**value, "0" | "1" | "none" | "off" | "on" | "auto");
        let has_title = |value: &&&str| quantities.contains(*value);
        let own = values.iter().filter(|value| !is_plain(value) && !has_title(value));
        names.extend(own.map(|value| format!("page.choice.{}.{value}", key.name)));
        if BY_VALUE.contains(&key.name) {
            names.extend(values.iter().map(|value| format!("page.help.{}.{value}", key.name)));
        } else {
            names.push(format!("page.help.{}", key.name));
        }
        if key.name == "statistic" {
            let of_value = values.iter().filter(|value| has_title(value) && **value != "grad_stream");
            names.extend(of_value.map(|value| format!("page.help.statistic.{value}")));
        }
    }
    names.sort();
    names.dedup();
    names
}
