/** An element of a class, with children; text is only ever text. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name)
  element.className = className
  element.append(...children)
  return element
}
