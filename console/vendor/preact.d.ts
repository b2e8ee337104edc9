// The part of Preact's types that the console uses.

export function h(type: any, props?: any, ...children: any[]): any;
export function render(element: any, parent: Element): void;
export const Fragment: any;
