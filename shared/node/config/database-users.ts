/** A sentence for each address whose user an earlier one has, since each role is denied what another needs. */
export function listSharedUsers(urls: Readonly<Record<string, string | undefined>>): string[] {
  const owners = new Map<string, string>();

  return Object.entries(urls).flatMap(([name, url]) => {
    const user = url !== undefined && URL.canParse(url) ? new URL(url).username : '';
    if (user === '') return [];
    const owner = owners.get(user);
    if (owner === undefined) owners.set(user, name);

    return owner === undefined ? [] : [`${name} must have another user than ${owner}`];
  });
}
