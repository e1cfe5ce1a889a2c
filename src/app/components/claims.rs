//! What is said of norms and depth, each with what its sources say and, where a pass can tell, what is measured now.

use crate::app::components::attributes::prelude::*;

use crate::app::browser::{self, Later};
use crate::app::laboratory::{Finding, is_measurable};
use crate::app::state::{Gesture, Page, page};
use crate::app::words;
use crate::claims::{self, Cite, Claim, Guide, Test, Verdict, VerdictKind};
use crate::share::{ClaimFilter, Target, View, parse, to_query};
use crate::text::{Piece, number_of, pieces, typeset};

use super::erased::{live, on, part, rows, when};
use super::field::Select;
use super::icons;

/// So often it is looked whether something in sight can be measured unasked.
const IDLE_MS: u64 = 1500;

/// Where a row has its columns beside each other (`style/claims.css`).
const WIDE: &str = "(min-width: 1100px)";

/// Whether a claim is in sight as a whole.
fn is_in_sight(index: usize) -> bool {
    let height = browser::window().inner_height().ok().and_then(|height| height.as_f64());
    document().get_element_by_id(claims::ALL[index].id).is_some_and(|element| {
        let bounds = element.get_bounding_client_rect();
        bounds.top() >= 0.0 && Some(bounds.bottom()) <= height
    })
}

/// Looks again and again whether nothing else is to be done, and then has what is in sight measured.
fn watch(page: Page, shown: Memo<Vec<usize>>, later: StoredValue<Later, LocalStorage>) {
    let look = move || {
        // On a narrow page what is found takes more room than the button, and what is being read would move.
        if browser::media_matches(WIDE) {
            page.laboratory
                .test_unasked(page, || shown.get_untracked().into_iter().filter(|index| is_in_sight(*index)));
        }
        watch(page, shown, later);
    };
    later.with_value(|later| later.ask(IDLE_MS, look));
}

/// The view.
#[component]
pub(super) fn Claims() -> impl IntoView {
    let page = page();
    let filter = Memo::new(move |_| page.request.with(|request| request.claims));
    let shown = Memo::new(move |_| {
        let filter = filter.get();
        let shown = (0..claims::ALL.len()).filter(|index| is_shown(&claims::ALL[*index], *index, &filter));
        // What can be put to the test here comes first.
        let (mut list, cited): (Vec<_>, Vec<_>) = shown.partition(|index| is_measurable(&claims::ALL[*index]));
        list.extend(cited);
        list
    });
    let is_busy = move || {
        let is_at_work = |finding: &Option<Finding>| matches!(finding, Some(Finding::Waiting | Finding::Running(_)));
        page.laboratory.findings.with(|list| list.iter().any(is_at_work))
    };
    let test_all = move |_| {
        if untrack(is_busy) {
            return page.laboratory.stop();
        }
        for index in shown.get_untracked() {
            if is_measurable(&claims::ALL[index]) {
                page.laboratory.test(page, index);
            }
        }
    };
    let later = StoredValue::new_local(Later::default());
    watch(page, shown, later);
    on_cleanup(move || {
        later.with_value(Later::forget);
        page.laboratory.stop_unasked();
    });
    view! {
        <main class="claims">
            <div class="claims-head">
                <div>
                    <h1>{words::claims_title()}</h1>
                    <p>{words::claims_lead()}</p>
                </div>
                <div class="filters" role="group" aria-label=words::filters()>
                    <Select key="guide"/>
                    <Select key="topic"/>
                    <Select key="verdict"/>
                    <button class="plain" type="button" on:click=on(test_all)>
                        {part(move || if is_busy() { words::stop() } else { words::test_shown(shown.with(Vec::len)) })}
                    </button>
                </div>
            </div>
            <p class="count" role="status">{part(move || words::claims_shown(shown.with(Vec::len), claims::ALL.len()))}</p>
            <div class="claim heads" aria-hidden="true">
                {[words::claim_head(), words::literature_head(), words::measured_head(), words::verdict_head()]
                    .map(|head| view! { <span>{head}</span> })
                    .into_iter()
                    .collect_view()}
            </div>
            {rows(move || shown.get(), |index| view! { <Row index=index/> }.into_any())}
        </main>
    }
}

fn is_shown(claim: &Claim, index: usize, filter: &ClaimFilter) -> bool {
    filter.claim == Some(index as u32 + 1)
        || filter.guide.is_none_or(|guide| guide == claim.guide)
            && filter.topic.is_none_or(|topic| topic == claim.topic)
            && filter.verdict.is_none_or(|verdict| verdict == claim.verdict)
}

#[component]
fn Row(index: usize) -> impl IntoView {
    let page = page();
    let claim = &claims::ALL[index];
    let number = index as u32 + 1;
    let is_open = Memo::new(move |_| page.request.with(|request| request.claims.claim == Some(number)));
    let place = NodeRef::<leptos::html::Article>::new();
    Effect::new(move |before: Option<bool>| {
        let is_open = is_open.get();
        if is_open
            && before.is_none()
            && let Some(element) = place.get()
        {
            element.scroll_into_view();
        }
        is_open
    });
    let toggle = move |_| {
        page.change(Gesture::Choice, |request| {
            request.claims.claim = (request.claims.claim != Some(number)).then_some(number);
        });
    };
    let explore = claim.explore.map(|query| {
        let show = move |_| {
            page.change(Gesture::Choice, |request| *request = parse(query, Target::Page).0);
        };
        view! {
            <button class="show" type="button" on:click=on(show)>
                {words::show()}<span class="vh">{format!(" {}", claim.id)}</span>
                <span class="art" inner_html=icons::RIGHT></span>
            </button>
        }
    });
    view! {
            <article class="claim" id=claim.id data-claim=claim.id node_ref=place class:open=live(move || is_open.get())>
                <div class="said">
                    <h2 inner_html=typeset(claim.said())></h2>
                    <p class="where">
                        <button class="id" type="button" aria-expanded=live(move || if is_open.get() { "true" } else { "false" }) on:click=on(toggle)>
                            {claim.id}
                        </button>
                        ", " {claim.guide.title()} ", " {claim.place()} ", " {claim.topic.title()}
                    </p>
                </div>
                <div class="source">
                    <p inner_html=typeset(claim.source_says())></p>
                    {when(move || is_open.get(), move || view! {
                        <Sources cites=claim.sources guide=claim.guide/>
    })}
                </div>
                <Found index=index/>
                {explore}
            </article>
        }
}

#[component]
fn Sources(cites: &'static [Cite], guide: Guide) -> impl IntoView {
    let one = |cite: &Cite| {
        let source = cite.source.source();
        let place = Some(cite.place()).filter(|place| !place.is_empty()).map(|place| format!(", {place}"));
        let arxiv = source.arxiv.map(|number| {
            view! { ", " <a href=format!("https://arxiv.org/abs/{number}")>{format!("arXiv:{number}")}</a> }
        });
        view! {
            <li>
                {source.authors} ", " {source.year} ". " <cite>{source.title}</cite> {arxiv} {place}
                {cite.second_hand.then(|| format!(" {}", words::second_hand()))}
            </li>
        }
    };
    view! {
        <p class="guide">{words::in_this_guide(guide)}</p>
        {cites.is_empty().then(|| view! { <p>{words::no_source()}</p> })}
        <ul class="sources">{cites.iter().map(one).collect_view()}</ul>
    }
}

/// The most letters of a number that stands large.
const LONGEST_NUMBER: usize = 24;

/// What is found, or what the literature says where nothing can be measured here.
#[component]
fn Found(index: usize) -> impl IntoView {
    let page = page();
    let claim = &claims::ALL[index];
    let finding = Memo::new(move |_| page.laboratory.findings.with(|list| list[index].clone()));
    let test = move |_| page.laboratory.test(page, index);
    move || match (&claim.test, finding.get()) {
        (Test::Cited | Test::NeedsTraining, _) => {
            let why = if matches!(claim.test, Test::Cited) { words::cited() } else { words::needs_training() };
            view! {
                <div class="measured"><p class="note">{why}</p></div>
                <VerdictSign verdict=claim.literature() note=words::by_literature().to_owned()/>
            }
            .into_any()
        }
        (Test::Measured(_), Some(Finding::Found(outcome, engine, curves))) => {
            // A number alone, after what it is of, stands large.
            let value = match outcome.measured.rsplit_once(": ") {
                Some((of, number)) if number.chars().count() <= LONGEST_NUMBER => {
                    format!("{}: <b>{}</b>", typeset(of), typeset(number))
                }
                _ => typeset(&outcome.measured),
            };
            view! {
            <div class="measured" data-finding=outcome.verdict.kind().key()>
                <p class="value" inner_html=value></p>
                <p class="note" inner_html=typeset(&outcome.sentence)></p>
            </div>
            <VerdictSign verdict=outcome.verdict note=words::measured_beside(engine, claim.verdict)/>
            {curves.map(|curves| view! { <div class="evidence" inner_html=curves></div> })}
            }
            .into_any()
        }
        (Test::Measured(_), state) => {
            let (label, is_busy) = match state {
                Some(Finding::Waiting) => (words::waiting().to_owned(), true),
                Some(Finding::Running(share)) => (words::testing(format!("{:.0}", (100.0 * share).floor())), true),
                _ => (words::test().to_owned(), false),
            };
            let failed = if let Some(Finding::Failed(why)) = finding.get() { Some(why) } else { None };
            view! {
                <div class="measured">
                    <button class="plain" type="button" aria-disabled=is_busy.then_some("true") on:click=on(test)>
                        {label}<span class="vh">{format!(" {}", claim.id)}</span>
                    </button>
                    {failed.map(|why| view! { <p class="note" role="alert">{why}</p> })}
                </div>
                <div class="verdict"><p><small>{words::literature_says(claim.verdict.title())}</small></p></div>
            }
            .into_any()
        }
    }
}

/// A verdict as shape and word.
#[component]
fn VerdictSign(verdict: Verdict, note: String) -> impl IntoView {
    let kind = verdict.kind();
    let pieces = match verdict {
        Verdict::OnlyIf(condition) => pieces(const { number_of("claims.only_if") }, &[("condition", condition)]),
        Verdict::InPart(part) => pieces(const { number_of("claims.in_part") }, &[("part", part)]),
        _ => vec![Piece::Words(kind.title().to_owned())],
    };
    let said = pieces.into_iter().enumerate().map(|(at, piece)| match piece {
        Piece::Words(first) if at == 0 => view! { <b>{words::capitalised(&first)}</b> }.into_any(),
        Piece::Words(rest) => view! { <b>{rest}</b> }.into_any(),
        Piece::Value(condition) => view! { <span class="condition" inner_html=typeset(condition)></span> }.into_any(),
    });
    let art = match kind {
        VerdictKind::Holds => icons::HOLDS,
        VerdictKind::DoesNotHold => icons::DOES_NOT_HOLD,
        VerdictKind::OnlyIf | VerdictKind::InPart => icons::IN_PART,
        VerdictKind::NotDecided | VerdictKind::NoSource => icons::OPEN,
    };
    view! {
        <div class="verdict" data-verdict=kind.key()>
            <span class="art" inner_html=art></span>
            <p>{said.collect_view()} " " <small>{note}</small></p>
        </div>
    }
}

/// The way from one view to the other.
#[component]
pub(super) fn Views() -> impl IntoView {
    let page = page();
    let link = move |view: View| {
        let is_here = move || page.request.with(|request| request.view == view).then_some("page");
        let go = move |event: leptos::ev::MouseEvent| {
            event.prevent_default();
            page.change(Gesture::Choice, |request| request.view = view);
        };
        // In a new tab it is the same page.
        let address = move || {
            let mut request = page.request.get();
            request.view = view;
            format!("?{}", to_query(&request, Target::Page))
        };
        view! { <a href=live(address) aria-current=live(is_here) on:click=on(go)>{words::view(view.key())}</a> }
    };
    view! { <nav class="views" aria-label=words::views()>{View::ALL.iter().map(|view| link(*view)).collect_view()}</nav> }
}
