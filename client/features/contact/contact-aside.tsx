import { getIndustryLabel, type IndustryOption } from '../../../shared/contact/industry-options.ts';
import { listContactCards, type ContactCard } from '../../../shared/content/contact-cards.ts';
import { industryChallenges, isKnownIndustry } from '../../../shared/content/industry-details.ts';
import { anchors, pathTo } from '../../../shared/paths.ts';
import { useSite } from '../../app/page-state.tsx';
import styles from './contact-aside.module.css';

const TITLE_ID = 'industry-note-title';

interface IndustryNoteProps {
  /** The industry the page's address names; the note stays when the visitor picks another. */
  readonly option: IndustryOption;
  /** The element the closing sentence leads to. */
  readonly formId: string;
}

/** What takes up time in the visitor's industry, as a start for the message. */
export function IndustryNote({ option, formId }: IndustryNoteProps) {
  if (!isKnownIndustry(option)) return null;

  return (
    <section className={`${styles.card} ${styles.note}`} aria-labelledby={TITLE_ID}>
      <h2 className={styles.title} id={TITLE_ID}>
        Common in {getIndustryLabel(option)}
      </h2>
      <ul role="list" className={styles.challenges}>
        {industryChallenges[option].map((challenge) => (
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

function Card({ card }: { card: ContactCard }) {
  const List = card.isSequence ? 'ol' : 'ul';
  const titleId = `contact-card-${card.id}`;

  return (
    <section className={styles.card} aria-labelledby={titleId}>
      <h2 className={styles.title} id={titleId}>
        {card.title}
      </h2>
      <List role="list" className={card.isSequence ? styles.steps : styles.points}>
        {card.items.map(({ title, description }) => (
          <li key={title} className={styles.item}>
            <span className={styles.itemTitle}>{title}</span>
            {description && <span className={styles.description}>{description}</span>}
          </li>
        ))}
      </List>
    </section>
  );
}

/** What the visitor gets, how it goes and why to choose this provider. */
export function ContactCards() {
  const { name } = useSite();

  return (
    <div className={styles.cards}>
      {listContactCards(name).map((card) => (
        <Card key={card.id} card={card} />
      ))}
      <p>
        Want a figure first? <a href={`${pathTo.solution('ai-transformation')}#${anchors.estimate}`}>Estimate what your busywork costs</a>.
      </p>
    </div>
  );
}
