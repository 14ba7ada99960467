import {
  footerColumns,
  securityClaims,
  type FooterColumn,
} from '../../shared/content/navigation.ts';
import { COPYRIGHT_YEAR } from '../../shared/site.ts';
import { useSite } from '../app/page-state.tsx';
import { ContentIcon } from './content-icon.tsx';
import styles from './footer.module.css';
import { SiteLogo } from './header.tsx';

function Column({ column: { heading, links } }: { column: FooterColumn }) {
  return (
    <nav aria-label={heading}>
      <h2 className={styles.heading}>{heading}</h2>
      <ul role="list">
        {links.map(({ label, to }) => (
          <li key={label}>
            <a className={styles.link} href={to}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Without `useId`: it is rendered apart from pages. */
export function FooterContent() {
  const { name } = useSite();

  return (
    <div className={styles.inner}>
      <div className={styles.brand}>
        <SiteLogo />
        <p className={styles.line}>
          We handle the non-revenue work so you can focus on revenue.
        </p>
      </div>
      <div className={styles.columns}>
        {footerColumns.map((column) => (
          <Column key={column.heading} column={column} />
        ))}
      </div>
      <div className={styles.end}>
        <ul className={styles.claims} role="list" aria-label="Security">
          {securityClaims.map(({ label, icon }) => (
            <li key={label} className={styles.claim}>
              <ContentIcon className={styles.claimIcon} name={icon} />
              {label}
            </li>
          ))}
        </ul>
        <p>
          {`© ${COPYRIGHT_YEAR} ${name}`}
        </p>
      </div>
    </div>
  );
}

/** The end of every page. @param markup of its content, where the server has rendered it before */
export function Footer({ markup }: { markup: string | undefined }) {
  return markup === undefined ? (
    <footer className={styles.footer}>
      <FooterContent />
    </footer>
  ) : (
    <footer className={styles.footer} dangerouslySetInnerHTML={{ __html: markup }} />
  );
}
