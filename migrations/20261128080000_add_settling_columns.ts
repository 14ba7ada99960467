/**
 * `quarantine_reasons` is `quarantine_reason` split into an array. `swept_from` is a delivery's state before the sweep
 * cancelled it.
 */
export const sql = `
  alter table contact_submissions
    add column quarantine_reasons text[] generated always as (string_to_array(quarantine_reason, ',')) stored,
    add column snoozed_past_promise boolean not null default false;
  alter table deliveries
    add column swept_from text
    constraint deliveries_swept_from check (swept_from in ('pending', 'dead')),
    add constraint deliveries_swept check (swept_from is null or state = 'cancelled')
`;
