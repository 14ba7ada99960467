import { siteWords } from '#content/site-words';
import { promoPictures } from 'virtual:promo-pictures';
import { helpLink, type MenuColumn, type NavigationMenu } from '../../../shared/content/navigation.ts';
import { ContentIcon } from '../content-icon.tsx';
import { ResponsivePicture } from '../responsive-picture.tsx';
import styles from './menu-sheet.module.css';
import { PageLink } from './page-link.tsx';

function Column({ column: { heading, links } }: { column: MenuColumn }) {
  return (
    <div>
      {heading !== undefined && <p className={styles.heading}>{heading}</p>}
      <ul role="list" aria-label={heading}>
        {links.map(({ label, line, icon, to }) => (
          <li key={label}>
            <PageLink className={styles.link} href={to}>
              <ContentIcon className={styles.icon} name={icon} />
              <span className={styles.label}>{label}</span>
              <span className={styles.line}>{line}</span>
            </PageLink>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The promotion in a menu, if any. Its picture loads when the menu opens. */
function Promo({ promo }: Pick<NavigationMenu, 'promo'>) {
  const words = siteWords.promos[promo];
  const picture = promoPictures[promo];
  if (!words || !picture) return null;
  const { title, text, label, to } = words;

  return (
    <div className={styles.promo}>
      <ResponsivePicture className={styles.picture} source={{ landscape: picture }} alt="" sizes="320px" />
      <div className={styles.words}>
        <p className={styles.title}>{title}</p>
        <p className={styles.text}>{text}</p>
        <a className={styles.action} href={to}>
          {label}
        </a>
      </div>
    </div>
  );
}

/** A menu's contents: link columns, a promotion and a contact link. */
export function MenuSheet({ menu }: { menu: NavigationMenu }) {
  return (
    <div className={styles.contents}>
      <div className={styles.columns}>
        {menu.columns.map((column) => (
          <Column key={column.links[0]?.label} column={column} />
        ))}
        <Promo promo={menu.promo} />
      </div>
      <p className={styles.help}>
        {helpLink.question} <a href={helpLink.to}>{helpLink.label}</a>
      </p>
    </div>
  );
}
