// The part of the types of Preact's hooks that the console uses.

type Cleanup = void | (() => unknown);

export function useCallback<T extends (...args: any[]) => any>(callback: T, dependencies: unknown[]): T;
export function useEffect(effect: () => Cleanup | unknown, dependencies?: unknown[]): void;
export function useErrorBoundary(callback?: (error: any) => void): [any, () => void];
export function useId(): string;
export function useLayoutEffect(effect: () => Cleanup | unknown, dependencies?: unknown[]): void;
export function useMemo<T>(compute: () => T, dependencies: unknown[]): T;
export function useRef<T>(initial: T): { current: T };
export function useState<T>(initial: T | (() => T)): [T, (next: T | ((previous: T) => T)) => void];
