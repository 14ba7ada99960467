export function Screen() {
  return <h1 tabIndex={-1}>article</h1>;
}

export function getMeta() {
  return { title: 'article', description: 'article' };
}
