// Bars by day or by entry. The same numbers are in a table for screen readers.

import { html } from '../app/html.js';

const HEIGHT = 96;

/**
 * @param {{ label: string, bars: { name: string, value: number, text: string }[] }} props
 */
export function BarChart({ label, bars }) {
  const max = Math.max(1, ...bars.map(({ value }) => Math.abs(value)));
  const width = 100 / Math.max(1, bars.length);
  const columns = bars.map(({ name, value, text }, index) => {
    const height = (Math.abs(value) / max) * (HEIGHT - 4) + (value ? 2 : 0);
    return html`<rect
      key=${name + index}
      class=${value < 0 ? 'negative' : ''}
      x=${index * width + width * 0.12}
      y=${HEIGHT - height}
      width=${width * 0.76}
      height=${height}
    >
      <title>${name}: ${text}</title>
    </rect>`;
  });
  return html`<figure class="chart">
    <svg viewBox=${`0 0 100 ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${label}>${columns}</svg>
    <figcaption class="muted">
      <span>${bars[0]?.name}</span><span>${bars.length > 1 ? bars[bars.length - 1].name : ''}</span>
    </figcaption>
  </figure>`;
}
