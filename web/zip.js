// A zip of files as they are (PKWARE APPNOTE 6.3, method 0): pictures are compressed already.

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let crc = n;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Little-endian numbers: pairs of a size in bytes and a value. */
function words(...pairs) {
  const bytes = [];
  for (const [size, value] of pairs) for (let i = 0; i < size; i++) bytes.push(Math.floor(value / 2 ** (8 * i)) & 255);
  return Uint8Array.from(bytes);
}

/** The files, pairs of a name in ASCII and a Blob, as one Blob. */
export async function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, blob] of files) {
    const bytes = new Uint8Array(await blob.arrayBuffer());
    const letters = new TextEncoder().encode(name);
    // Version, flags, method, time, date (1980-01-01), sum, both sizes, lengths of name and extra field.
    const about = [[2, 20], [2, 0], [2, 0], [2, 0], [2, 33], [4, crc32(bytes)], [4, bytes.length], [4, bytes.length], [2, letters.length], [2, 0]];
    const head = words([4, 0x04034b50], ...about);
    directory.push(words([4, 0x02014b50], [2, 20], ...about, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), letters);
    parts.push(head, letters, bytes);
    offset += head.length + letters.length + bytes.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = words([4, 0x06054b50], [2, 0], [2, 0], [2, files.length], [2, files.length], [4, size], [4, offset], [2, 0]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}
