import type { DeliveryRow } from '../../shared/node/deliveries/delivery-table.ts';

/** Rows that the tests read directly from the database. */
declare module 'knex/types/tables.js' {
  interface Tables {
    deliveries: DeliveryRow;
    contact_submissions: {
      id: string;
      name: string;
      email: string;
      company: string;
      phone: string | null;
      industry: string | null;
      message: string | null;
      submitted_at: Date;
      body_hash: string | null;
      received_at: Date;
      source: Record<string, string> | null;
      visited_paths: string[] | null;
      contacted_at: Date | null;
      anonymised_at: Date | null;
      quarantined_at: Date | null;
      quarantine_reason: string | null;
      spam_at: Date | null;
      held_mail_id: string | null;
      released_at: Date | null;
      email_refused_at: Date | null;
      assigned_to: string | null;
      snoozed_until: Date | null;
      unfit_at: Date | null;
      unfit_reason: string | null;
    };
    submission_events: {
      id: string;
      submission_id: string;
      at: Date;
      by: string | null;
      what: string;
      until: Date | null;
      details: Record<string, unknown>;
      undone_at: Date | null;
      undone_by: string | null;
    };
    delivery_pauses: {
      kind: string;
      until: Date;
      reason: string;
      ends_with_restart: boolean;
    };
    newsletter_subscriptions: {
      id: string;
      email: string;
      mailbox: string | null;
      created_at: Date;
      confirmed_at: Date | null;
      unsubscribed_at: Date | null;
    };
    erasures: { subject_hash: string; subject_kind: string; key_id: string; erased_at: Date };
    erasure_list: { id: string; begun_at: Date };
    delivery_hold: { held_at: Date; backup_at: Date | null };
    sales_rotation: { address: string; last_assigned_at: Date | null; away_until: Date | null };
    'clock.time': { now: string };
    alerts: {
      name: string;
      channel: string;
      message: string;
      details: Record<string, unknown>;
      first_raised_at: Date;
      last_raised_at: Date;
      count: number;
      sent_at: Date | null;
      attempts: number;
      lease_until: Date | null;
      recipients: string[] | null;
      sent_count: number;
    };
    knex_migrations: { id: number; name: string };
    knex_migrations_lock: { is_locked: number };
  }
}
