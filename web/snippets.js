// What is copied into pages of other programs.

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

const frame = ({ address, width, height }) =>
  `<iframe src="${escaped(address)}" title="Normscope" width="${escaped(width)}" height="${escaped(height)}" style="border:0" loading="lazy" allow="clipboard-write; fullscreen"></iframe>`;

/** The text of each kind; `beside.kind` and `beside.hint` among the texts say where it goes. */
export const SNIPPETS = {
  link: ({ address }) => address,
  iframe: frame,
  element: ({ script, query, hide, theme }) =>
    `<script type="module" src="${script}"></script>\n<norm-scope query="${escaped(query)}"${hide && ` hide="${hide}"`}${theme && ` theme="${theme}"`}></norm-scope>`,
  myst: ({ say, address, width, height }) =>
    `:::{iframe} ${address}\n:width: ${/%$/.test(width) ? width : "100%"}\n:title: Normscope\n:::\n\n% ${say("beside.fixed_height", { height })}\n% ${frame({ address, width, height })}`,
  quarto: (given) => `\`\`\`{=html}\n${frame(given)}\n\`\`\``,
  mkdocs: frame,
  canvas: frame,
  reveal: ({ address }) => `<section data-background-iframe="${escaped(address)}" data-background-interactive></section>`,
  observable: (given) => `html\`${frame(given).replaceAll("`", "\\`")}\``,
};
