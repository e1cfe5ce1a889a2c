//! Texts of the rules that test claims: what was measured and what follows. A `part` completes “holds in part:”, a
//! `condition` “holds only if”.

use super::texts;

texts! { "rules":
    // Lists.
    between_values;
    between_statements;
    at_depths(values, depths);

    // Gradients of Post-LN.
    grows_measured(values);
    grows_sentence(power);
    explodes_sentence(factor, bare);
    last_layer_part;
    last_layer_measured(by_depth, by_width);
    last_layer_sentence(with_depth, with_width, bound);
    layers_measured(powers);
    layers_sentence;
    together_gradient;
    together_factor;
    together_last_layer;
    together_layers;
    together_measured(powers, factor);
    together_sentence(count, found);
    one_point_six_measured(first, last, post);
    one_point_six_of_post;
    one_point_six_nowhere;
    unit_variance_measured(distance);
    unit_variance_sentence;

    // Post-LN with cross-attention.
    first_over_last;
    vanishing_condition;
    vanishing_measured(quantity, alone, collapsed, spread);
    vanishing_sentence;
    vanishing_untold;
    early_measured(alone, collapsed);
    early_sentence(alone, collapsed);
    overshoot_condition;
    overshoot_measured(alone, collapsed);
    overshoot_sentence;

    // Gradients of Pre-LN, DeepNorm and OLMo 2.
    identity_part;
    identity_sentence(power);
    falls_part;
    falls_measured(last, first);
    falls_sentence(last, first);
    even_part;
    even_measured(values);
    even_sentence;
    deepnorm_measured(ends, down);
    deepnorm_sentence(factor);
    olmo2_part;
    olmo2_measured(both, neither, pre);
    olmo2_sentence;
    untouched_measured(pre, post);
    untouched_sentence;

    // Updates.
    step_measured(values);
    first_step_part;
    first_step_sentence(update, gradient);
    deeper_sentence(power);

    // Sublayers.
    chain_measured(factor);
    chain_sentence(together, alone);
    jacobian_measured(jacobians, sizes);
    jacobian_sentence(products);
    twice_part;
    twice_measured(values);
    twice_sentence;
    near_zero_condition;
    near_zero_measured(plain, scaled);
    near_zero_sentence;

    // The stream.
    bounded_branch_measured(low, high);
    bounded_branch_sentence;
    sandwich_measured(sandwich, pre);
    sandwich_sentence(size);
    pre_grows_measured(growth);
    pre_grows_sentence;
    exponential_measured(xavier, he);
    exponential_sentence;
    block_80_measured(xavier, he);
    block_80_sentence;
    overflow_condition;
    overflow_measured(pre, bare);
    overflow_sentence(doublings);
    collapse_measured(post, pre, small, large);
    collapse_sentence;
    init_measured(lecun, xavier, he, sizes);
    init_sentence;

    // Parameters and operations.
    model_missing;
    norms_measured(counts, more, depth, width);
    norms_sentence(count);
    operations_part;
    operations_measured(operations, depth, tokens, width, times);
    operations_sentence(products, share);

    // Blocks.
    block_is_the_same;
    block_is_another;
    block_is_missing;
    four_measured(count, all);
    four_sentence;
    post_printed_sentence(printed, own);
    pre_printed_sentence(found);
    final_norm_measured(with, all, loss_without, loss_with);
    final_norm_sentence(difference);
    deepnorm_block_measured(depth, skip, gain);
    deepnorm_block_sentence(formula);
    peri_part;
    peri_measured(around, on_path);
}
