// How the files of a release name each other.

/** An address within quotes, of a file beside the one that it stands in. */
export const ADDRESS = /(?<=["'])\.\/[\w.-]+(?=["'])/g;
