/** One night of a simulated year, and the lake after it. */
export interface Night {
  readonly night: number;
  readonly seconds: number;
  readonly peakMb: number;
  readonly files: number;
  readonly bytes: number;
  readonly logBytes: number;
}

const MB = 1e6;
const [WIDTH, HEIGHT, GAP] = [240, 90, 50];
const COLUMNS = 3;
/** What is above this share of a panel's nights is cut off: a resync of everything would flatten every other night. */
const SHOWN = 0.985;

/** Draws a simulated year as an SVG picture: a curve for each figure, over its nights. */
export function yearPicture(
  nights: readonly Night[],
  proofs: readonly { readonly night: number; readonly seconds: number }[],
): string {
  const last = nights.at(-1)?.night ?? 1;
  const curve = (of: (one: Night) => number) => nights.map((one) => [one.night, of(one)] as const);
  const curves: Readonly<Record<string, readonly (readonly [night: number, value: number])[]>> = {
    "seconds a night": curve(({ seconds }) => seconds),
    "peak memory, MB": curve(({ peakMb }) => peakMb),
    "seconds to verify": proofs.map(({ night, seconds }) => [night, seconds]),
    "live data, MB": curve(({ bytes }) => bytes / MB),
    "files of live data": curve(({ files }) => files),
    "logs of the feed, MB": curve(({ logBytes }) => logBytes / MB),
  };
  const panels = Object.entries(curves).map(([title, points], at) => {
    const sorted = points.map(([, value]) => value).sort((a, b) => a - b);
    const top = (sorted[Math.ceil(sorted.length * SHOWN) - 1] ?? 1) * 1.1;
    const [x, y] = [
      (at % COLUMNS) * (WIDTH + GAP) + GAP,
      Math.floor(at / COLUMNS) * (HEIGHT + GAP) + GAP / 2,
    ];
    const line = points.map(([night, value]) => {
      const [right, up] = [(night / last) * WIDTH, (Math.min(value, top) / top) * HEIGHT];
      return `${(x + right).toFixed(1)},${(y + HEIGHT - up).toFixed(1)}`;
    });
    return `<text x="${x}" y="${y - 6}">${title}</text>
<text x="${x - 4}" y="${y + 10}" text-anchor="end">${top < 10 ? top.toFixed(1) : top.toFixed(0)}</text>
<text x="${x - 4}" y="${y + HEIGHT}" text-anchor="end">0</text>
<text x="${x + WIDTH}" y="${y + HEIGHT + 14}" text-anchor="end">night ${last}</text>
<path d="M${x} ${y}v${HEIGHT}h${WIDTH}" fill="none" stroke="#999"/>
<polyline points="${line.join(" ")}" fill="none" stroke="#1f5fa8" stroke-width="1.2"/>`;
  });
  const [width, height] = [COLUMNS * (WIDTH + GAP) + GAP / 2, 2 * (HEIGHT + GAP) + GAP / 2];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">
<title>A simulated year: ${nights.length} nights</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${panels.join("\n")}
</svg>
`;
}
