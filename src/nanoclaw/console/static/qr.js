// A QR code of a short text: bytes, error correction M, versions 1 to 6, which hold up to 106 bytes.

// By version: how many bytes of data a block has, how many blocks there are, and how many bytes mend a block.
const LAYOUTS = [[16, 1, 10], [28, 1, 16], [44, 1, 26], [32, 2, 18], [43, 2, 24], [27, 4, 16]];
const MASKS = [
  (x, y) => (x + y) % 2 === 0,
  (x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];
const QUIET = 4; // Readers need this much empty space around it.

// Rows of modules, true for a dark one. A text that is too long throws a RangeError.
export function qrModules(text) {
  const bytes = new TextEncoder().encode(text);
  const version = LAYOUTS.findIndex(([size, blocks]) => bytes.length + 2 <= size * blocks) + 1;
  if (!version) throw new RangeError("too long for a QR code");
  const frame = makeFrame(version * 4 + 17);
  const bits = toBits(withCorrection(toCodewords(bytes, version), version), 8);
  const candidates = MASKS.map((mask, number) => fill(frame, bits, mask, number));
  return candidates.reduce((best, other) => (penalty(other) < penalty(best) ? other : best));
}

export function drawQr(svg, text) {
  const rows = qrModules(text);
  const dark = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + QUIET} ${y + QUIET}h1v1h-1z` : "")));
  const size = rows.length + 2 * QUIET;
  svg.setAttribute("width", size * 5); // Whole pixels, so that all modules are equally wide.
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.querySelector("path").setAttribute("d", dark.join(""));
}

// What is written

const toBits = (numbers, width) =>
  numbers.flatMap((number) => Array.from({ length: width }, (_, index) => (number >> (width - 1 - index)) & 1));

// Four bits say "bytes follow", eight how many; then come the bytes, four bits that end them, and padding.
function toCodewords(bytes, version) {
  const [size, blocks] = LAYOUTS[version - 1];
  const nibbles = [4, ...[bytes.length, ...bytes].flatMap((byte) => [byte >> 4, byte & 15]), 0];
  const words = Array.from({ length: nibbles.length / 2 }, (_, index) => (nibbles[2 * index] << 4) | nibbles[2 * index + 1]);
  for (let pad = 0; words.length < size * blocks; pad++) words.push(pad % 2 ? 0x11 : 0xec);
  return words;
}

// Each block gets its correction, and the blocks are interleaved: a smudge then hurts each of them a little.
function withCorrection(words, version) {
  const [size, count, mending] = LAYOUTS[version - 1];
  const blocks = Array.from({ length: count }, (_, index) => words.slice(index * size, (index + 1) * size));
  const corrections = blocks.map((block) => remainder(block, generator(mending)));
  const interleave = (parts) => parts[0].flatMap((_, index) => parts.map((part) => part[index]));
  return [...interleave(blocks), ...interleave(corrections)];
}

// Reed-Solomon: numbers of the field with 256 elements, multiplied without a table
function times(a, b) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    product ^= ((b >> bit) & 1) * a;
  }
  return product;
}

function generator(degree) {
  let factors = [1];
  for (let step = 0, root = 1; step < degree; step++, root = times(root, 2)) {
    factors = [...factors, 0].map((factor, index) => factor ^ (index ? times(factors[index - 1], root) : 0));
  }
  return factors.slice(1);
}

function remainder(block, factors) {
  let rest = factors.map(() => 0);
  for (const word of block) {
    const lead = word ^ rest[0];
    rest = [...rest.slice(1), 0].map((value, index) => value ^ times(factors[index], lead));
  }
  return rest;
}

// Where it is written: null is a module that is still free

function makeFrame(size) {
  const rows = Array.from({ length: size }, () => Array(size).fill(null));
  const put = (left, top, width, isDark) => {
    for (let y = top; y < top + width; y++) for (let x = left; x < left + width; x++) if (x in rows && y in rows) rows[y][x] = isDark;
  };
  for (let at = 8; at < size - 8; at++) rows[6][at] = rows[at][6] = at % 2 === 0;
  for (const [x, y] of [[0, 0], [size - 7, 0], [0, size - 7]]) {
    put(x - 1, y - 1, 9, false);
    put(x, y, 7, true);
    put(x + 1, y + 1, 5, false);
    put(x + 2, y + 2, 3, true);
  }
  if (size > 21) {
    put(size - 9, size - 9, 5, true);
    put(size - 8, size - 8, 3, false);
    put(size - 7, size - 7, 1, true);
  }
  writeFormat(rows, 0); // Keeps its places; each mask writes its own.
  return rows;
}

// Level M and the number of the mask, with ten bits of correction, twice
function writeFormat(rows, mask) {
  const last = rows.length - 1;
  let rest = mask << 10;
  for (let bit = 14; bit >= 10; bit--) if ((rest >> bit) & 1) rest ^= 0x537 << (bit - 10);
  const format = ((mask << 10) | rest) ^ 0x5412;
  for (let index = 0; index < 15; index++) {
    const isDark = Boolean((format >> index) & 1);
    if (index < 8) rows[index + (index > 5)][8] = rows[8][last - index] = isDark;
    else rows[8][14 - index + (index < 9)] = rows[last - 14 + index][8] = isDark;
  }
  rows[last - 7][8] = true;
}

// Columns in pairs from the right, upwards and downwards in turn, around what is there already
function fill(frame, bits, mask, number) {
  const rows = frame.map((row) => [...row]);
  let next = 0;
  for (let right = rows.length - 1, isUp = true; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right--; // The column of the timing pattern belongs to no pair.
    for (let step = 0; step < rows.length; step++) {
      const y = isUp ? rows.length - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (frame[y][x] === null) rows[y][x] = Boolean(bits[next++] ?? 0) !== mask(x, y);
      }
    }
  }
  writeFormat(rows, number);
  return rows;
}

// How hard it is to read: long runs, blocks, what looks like a corner, and too much of one colour
function penalty(rows) {
  const lines = [...rows, ...rows.map((_, x) => rows.map((row) => row[x]))].map((line) => line.map(Number).join(""));
  let sum = 0;
  for (const line of lines) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2;
    sum += 40 * [...line.matchAll(/(?=10111010000|00001011101)/g)].length;
  }
  rows.slice(1).forEach((row, y) => row.slice(1).forEach((dark, x) => {
    if (dark === row[x] && dark === rows[y][x] && dark === rows[y][x + 1]) sum += 3;
  }));
  const darkShare = rows.flat().filter(Boolean).length / rows.length ** 2;
  return sum + 10 * Math.floor(Math.abs(darkShare * 20 - 10));
}
