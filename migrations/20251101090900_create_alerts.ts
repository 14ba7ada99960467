/** One row per alert and channel. `count` are occurrences since the last notice, `sent_count` those in the last notice. */
export const sql = `
  create table alerts (
    name text not null,
    channel text not null,
    message text not null,
    details jsonb not null,
    first_raised_at timestamptz not null,
    last_raised_at timestamptz not null,
    count integer not null,
    sent_at timestamptz,
    sent_count integer not null default 0,
    recipients text[],
    attempts integer not null default 0,
    lease_until timestamptz,
    primary key (name, channel)
  )
`;
