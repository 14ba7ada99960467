export function Screen() {
  return <h1 tabIndex={-1}>follow-up</h1>;
}

export function getMeta() {
  return { title: 'follow-up', description: 'follow-up' };
}
