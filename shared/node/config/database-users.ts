/**
 * Compares the addresses of one database, by the names of their settings: each needs a user of its own, since each role
 * is denied what another needs. An address without a user, or that can't be parsed, is left out.
 * @returns a sentence for each whose user one before it has
 */
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
