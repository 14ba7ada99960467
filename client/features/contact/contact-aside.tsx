import { contactPage } from '#content/contact-page';
import { industryChallenges } from '#content/industry-challenges';
import { getIndustryLabel } from '../../../shared/contact/industry-options.ts';
import { fillSitePlaceholders } from '../../../shared/site.ts';
import { useSite } from '../../app/page-state.tsx';
import shared from '../../components/shared.module.css';
import styles from './contact-aside.module.css';

const TITLE_ID = 'industry-note-title';

interface IndustryNoteProps {
  /** Industry from the page's URL. The note doesn't change when the visitor selects another one. */
  readonly option: string;
  /** Id of the form that the closing sentence links to. */
  readonly formId: string;
}

/** Time-consuming tasks in the visitor's industry, as a starting point for the message. */
export function IndustryNote({ option, formId }: IndustryNoteProps) {
  const challenges = industryChallenges[option];
  if (!challenges) return null;

  return (
    <section className={`${shared.panel} ${shared.stack} ${styles.note}`} aria-labelledby={TITLE_ID}>
      <h2 className={shared.subtitle} id={TITLE_ID}>
        Common in {getIndustryLabel(option)}
      </h2>
      <ul role="list" className={`${shared.stack} ${styles.challenges}`}>
        {challenges.map((challenge) => (
          <li key={challenge} className={styles.item}>
            {challenge}
          </li>
        ))}
      </ul>
      <p className={styles.closing}>
        If one of these sounds familiar, <a href={`#${formId}`}>tell us in the form</a>, and we
        start there.
      </p>
    </section>
  );
}

interface CardProps {
  readonly id: string;
  readonly title: string;
  /** Renders a numbered list. */
  readonly isSequence?: boolean;
  readonly items: readonly { readonly title: string; readonly text?: string }[];
}

function Card({ id, title, isSequence = false, items }: CardProps) {
  const List = isSequence ? 'ol' : 'ul';
  const titleId = `contact-card-${id}`;

  return (
    <section className={`${shared.panel} ${shared.stack} ${styles.card}`} aria-labelledby={titleId}>
      <h2 className={shared.subtitle} id={titleId}>
        {title}
      </h2>
      <List role="list" className={`${shared.stack} ${isSequence ? styles.steps : styles.points}`}>
        {items.map((item) => (
          <li key={item.title} className={styles.item}>
            <span className={styles.itemTitle}>{item.title}</span>
            {item.text && <span className={`${shared.note} ${styles.description}`}>{item.text}</span>}
          </li>
        ))}
      </List>
    </section>
  );
}

/** Cards about the assessment, the next steps and the provider. */
export function ContactCards() {
  const site = useSite();
  const { deliverables, process, reasons, estimate } = contactPage;

  return (
    <div className={`${shared.stack} ${styles.cards}`}>
      <Card id="deliverables" title={deliverables.title} items={deliverables.items.map((title) => ({ title }))} />
      <Card id="process" title={process.title} isSequence items={process.steps} />
      <Card id="reasons" title={fillSitePlaceholders(reasons.title, site)} items={reasons.items.map(({ text }) => ({ title: text }))} />
      {estimate && (
        <p>
          {estimate.question} <a href={estimate.to}>{estimate.label}</a>.
        </p>
      )}
    </div>
  );
}
