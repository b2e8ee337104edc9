// A stepped line over time, for a balance.

import { html } from '../app/html.js';

const [WIDTH, HEIGHT] = [600, 120];

/**
 * @param {{ label: string, points: { at: number, value: number, text: string }[] }} props points in order of time
 */
export function LineChart({ label, points }) {
  if (points.length < 2) return null;
  const [first, last] = [points[0].at, points[points.length - 1].at];
  const values = points.map(({ value }) => value);
  const [min, max] = [Math.min(0, ...values), Math.max(1, ...values)];
  const x = (/** @type {number} */ at) => ((at - first) / Math.max(1, last - first)) * WIDTH;
  const y = (/** @type {number} */ value) => HEIGHT - 6 - ((value - min) / (max - min)) * (HEIGHT - 12);
  const steps = points.map(({ at, value }, index) => (index ? `H${x(at)}V${y(value)}` : `M${x(at)},${y(value)}`)).join('');
  return html`<figure class="chart">
    <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${label}>
      <path class="area" d=${`${steps}V${y(min)}H0Z`} />
      <path class="line" d=${steps} vector-effect="non-scaling-stroke" />
    </svg>
    <figcaption class="muted"><span>${points[0].text}</span><span>${points[points.length - 1].text}</span></figcaption>
  </figure>`;
}
