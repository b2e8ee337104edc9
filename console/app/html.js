// The view library: Preact with templates of htm. Modules import it from here only.

import { h, render, Fragment } from '../vendor/preact.js';
import htm from '../vendor/htm.js';

/** Renders a template to elements. */
export const html = htm.bind(h);
export { h, render, Fragment };
export {
  useCallback,
  useEffect,
  useErrorBoundary,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from '../vendor/preact-hooks.js';
