// What is copied into pages of other programs.

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

const frame = ({ address, width, height }) =>
  `<iframe src="${escaped(address)}" title="Normscope" width="${width}" height="${height}" style="border:0" loading="lazy" allow="clipboard-write; fullscreen"></iframe>`;

/** By kind: a title, the text, and a word on where it goes. */
export const SNIPPETS = {
  link: { title: "a link", text: ({ address }) => address, hint: "Opens as it is shown, also years from now: links have a version." },
  iframe: { title: "any page (iframe)", text: frame, hint: "The frame needs no permission; without `allow` the clipboard and full screen are off." },
  element: {
    title: "any page (element)",
    text: ({ script, query, hide, theme }) =>
      `<script type="module" src="${script}"></script>\n<norm-scope query="${escaped(query)}"${hide && ` hide="${hide}"`}${theme && ` theme="${theme}"`}></norm-scope>`,
    hint: "One small script; the element takes the height of what it shows, and can be asked (docs/embedding.md).",
  },
  myst: {
    title: "MyST, Jupyter Book",
    text: ({ address, width, height }) => `:::{iframe} ${address}\n:width: ${/%$/.test(width) ? width : "100%"}\n:title: Normscope\n:::\n\n% a fixed height of ${height} px, as raw HTML:\n% ${frame({ address, width, height })}`,
    hint: "The directive keeps a ratio of 16 to 9; the raw frame has the height that you give.",
  },
  quarto: { title: "Quarto", text: (given) => `\`\`\`{=html}\n${frame(given)}\n\`\`\``, hint: "For HTML and reveal.js output." },
  mkdocs: { title: "MkDocs", text: frame, hint: "Markdown passes HTML through; Material for MkDocs needs the `md_in_html` extension only inside other blocks." },
  canvas: { title: "Canvas LMS", text: frame, hint: "In the editor: View, HTML Editor. The frame tells Canvas its height (lti.frameResize)." },
  reveal: {
    title: "reveal.js",
    text: ({ address }) => `<section data-background-iframe="${escaped(address)}" data-background-interactive></section>`,
    hint: "The slide loads the page when it comes near and drops it when it is far; add data-preload to keep it.",
  },
  observable: {
    title: "Observable",
    text: (given) => `html\`${frame(given).replaceAll("`", "\\`")}\``,
    hint: "In a cell of a notebook; in Observable Framework the plain iframe does.",
  },
};
