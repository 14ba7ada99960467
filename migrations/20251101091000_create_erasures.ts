/** Erased people and requests as keyed hashes, to be erased again from a restored backup. `key_id` names the key. */
export const sql = `
  create table erasures (
    subject_hash text primary key,
    subject_kind text not null,
    key_id text not null,
    erased_at timestamptz not null,
    constraint erasures_subject_kind check (subject_kind in ('email', 'submission'))
  )
`;
