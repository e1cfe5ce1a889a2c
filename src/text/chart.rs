//! Texts of the charts and the reading of a measurement.

use super::texts;

texts! { "chart":
    // Axes and notes.
    block_axis;
    /// That of the share of the depth.
    share_axis;
    // What dashes and bands are.
    key_theory;
    key_band;
    depth_axis;
    more_notes(count);

    // Blocks, as they stand in "in …".
    block(block);
    /// A share of the depth, at the probe.
    share(share);
    span(from, to);
    blocks(span);
    two_spans(one, other);
    many_spans(count, from, to);

    // A value at a block.
    value_zero(curve);
    value_uncertain(curve, precision);
    value_faint(curve, precision);
    value_past(curve, precision);
    value_lost(curve);
    value_not_compared(curve);

    // What is wrong with a curve on an axis.
    above_throughout;
    above_from(block);
    above_in(blocks);
    below_throughout;
    below_from(block);
    below_in(blocks);
    block_faint(block, precision);
    blocks_faint(blocks, precision);
    uncertain_in(blocks, precision);
    past_from(block, precision);
    scores_overflow(block, precision);
    lost_by_scores(block);
    lost_by_stream(block);
    lost_throughout;
    lost_in(blocks);
    zero_throughout;
    zero_in(blocks);
    /// Said of a curve against a model that has fewer blocks.
    no_counterpart(block);
    not_compared(blocks);
    curve_does(curve, what);
    curve_with(curve, clause);
    and_it_does(sentence, what);
    and_with(sentence, clause);

    // The same in brief.
    brief(curve, list);
    brief_from(what, block);
    brief_in(what, blocks);
    brief_above;
    brief_below;
    brief_faint(precision);
    brief_uncertain;
    brief_past(precision);
    brief_lost;
    brief_zero;
    brief_no_counterpart;
    brief_not_compared;
    listed[list, next];

    // The reading of a measurement: what its stream does.
    no_stream[precision];
    resets[value];
    multiplies[factor];
    multiplies_up_to[factor, value];
    keeps[value];
    grows_to[value];
    shrinks_to[value];
    then_not_resolved[stream, block, precision];
    then_scores_pass[stream, block, precision];
    then_passes[stream, block, precision];
    // What its gradient does.
    gradient_of[matrix];
    gradient_of_stream;
    gradient_lost[gradient];
    gradient_past[gradient, precision];
    gradient_faint[gradient, precision];
    gradient_uncertain[gradient, precision];
    gradient_zero[gradient, zero];
    gradient_is[gradient, list];
    weight_ends[first, last];
    weight_first[value];
    weight_last[value];
    stream_ends[first, last];
    stream_first[value];
    stream_last[value];
    part_faint[precision, blocks];
    part_uncertain[precision, blocks];
    part_past[precision, blocks];
    part_lost[blocks];
    part_zero[blocks];
    shrinks_as_much[gradient, ends, times];
    shrinks[gradient, ends, times];
    grows[gradient, ends, times];
    keeps_size[gradient, ends];
    // Both.
    and_gradient[stream, gradient];
    then_gradient[stream, gradient];
    then_lacks[stream, what];

    // The diagram of a block, its equation, and both in words.
    part_attention;
    part_cross;
    first_quarter(placement);
    in_first_quarter(placement);
    block_input;
    diagram(placement, norms);
    no_norm;
    norms(places);
    norm_on_embedding;
    norm_on_input;
    norm_on_branch;
    norm_on_sum;
    both(one, other);
    diagram_with(diagram, clause);
    skip_omega;
    skip_alpha;
    input_damped;
    adds_block_input;
    dual_stream;
    begins_as_post;
    /// How a gradient comes back, under the drawing of a block.
    way_through;
    way_through_last;
    way_past;

    // The atlas: what is no value, and a panel in words.
    texture_no_number;
    texture_unresolved;
    texture_underflow;
    texture_zero;
    texture_not_measured;
    panel_no_value(depth);
    panel_one(value, block);
    panel_level(from, to);
    panel_falls(from, to);
    panel_rises(from, to);
    panel_without(blocks, texture);
    panel_alike(block);
    panel_over_depths(block, from, shallow, to, deep);
}
