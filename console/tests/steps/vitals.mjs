// Figures of a page that was opened, named and defined as those of Lighthouse.

/** Tasks of the main thread block for the part beyond this time, in milliseconds. */
const LONG_TASK = 50;

/** Returns the figures since the navigation: times in milliseconds, and what was transferred. */
export async function vitals(page) {
  return page.evaluate(async (longTask) => {
    const observed = (type) =>
      new Promise((resolve) => {
        const observer = new PerformanceObserver((list) => {
          observer.disconnect();
          resolve(list.getEntries());
        });
        observer.observe({ type, buffered: true });
        // An observer without entries is never called.
        setTimeout(() => resolve([]), 200);
      });
    const now = performance.now();
    const firstPaint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0;
    const paints = await observed('largest-contentful-paint');
    const shifts = await observed('layout-shift');
    const tasks = await observed('longtask');
    const loaded = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    return {
      usable: Math.round(now),
      firstContentfulPaint: Math.round(firstPaint),
      largestContentfulPaint: Math.round(paints.at(-1)?.startTime ?? 0),
      totalBlockingTime: Math.round(tasks.reduce((sum, { duration }) => sum + Math.max(0, duration - longTask), 0)),
      layoutShift: shifts.reduce((sum, { value }) => sum + value, 0).toFixed(3),
      requests: loaded.length,
      transferred: loaded.reduce((sum, { transferSize }) => sum + transferSize, 0),
    };
  }, LONG_TASK);
}

/** Prints the figures of a page. */
export async function printVitals(page, name) {
  const of = await vitals(page);
  console.log(
    `     ${name}: usable ${of.usable} ms, first contentful paint ${of.firstContentfulPaint} ms, largest ${of.largestContentfulPaint} ms, ` +
      `blocked ${of.totalBlockingTime} ms, layout shift ${of.layoutShift}, ${of.transferred} bytes in ${of.requests} requests`,
  );
}
