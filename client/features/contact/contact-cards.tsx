import { listContactCards, type ContactCard } from '../../../shared/content/contact-cards.ts';
import { useSite } from '../../app/page-state.tsx';
import styles from './contact-cards.module.css';

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
    </div>
  );
}
