//! Texts of theory: names of curves, conditions and sources.

use super::texts;

texts! { "theory":
    mean_field;
    mean_field_holds;
    normed_branches;
    normed_branches_holds;
    lemma_2_lower;
    lemma_2_upper;
    lemma_2_holds;
    growth_lower;
    growth_upper;
    growth_holds;
    post_sum_holds;
    last_weight_pre_holds;
    last_weight_post_holds;
    deepnorm_flat;
    deepnorm_weight_holds;
    deepnorm_stream_holds;
    inverse_stream;
    inverse_stream_holds;
    cross_attention;
    cross_attention_holds;
    place_peri;
    place_olmo_2;
    place_deepnet;
    place_deepnet_pre;
    place_xiong_proof;
    second_hand;
    derived;
}
