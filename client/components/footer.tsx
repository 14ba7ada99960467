import { siteWords } from '#content/site-words';
import { footerColumns, type FooterColumn } from '../../shared/content/navigation.ts';
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

/** The footer's content. Must not call `useId`, because it is rendered separately from the page. */
export function FooterContent() {
  const { name } = useSite();
  const { tagline, copyrightYear, securityClaims, socialLinks } = siteWords;

  return (
    <div className={styles.inner}>
      <div className={styles.brand}>
        <SiteLogo />
        <p className={styles.line}>{tagline}</p>
        {socialLinks.length > 0 && (
          <ul role="list" aria-label="Social networks">
            {socialLinks.map(({ label, url }) => (
              <li key={url}>
                <a className={styles.link} href={url}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
        )}
      </div>
      <div className={styles.columns}>
        {footerColumns.map((column) => (
          <Column key={column.heading} column={column} />
        ))}
      </div>
      <div className={styles.end}>
        {securityClaims.length > 0 && (
          <ul className={styles.claims} role="list" aria-label="Security">
            {securityClaims.map(({ label, icon }) => (
              <li key={label} className={styles.claim}>
                <ContentIcon className={styles.claimIcon} name={icon} />
                {label}
              </li>
            ))}
          </ul>
        )}
        <p>{`© ${copyrightYear} ${name}`}</p>
      </div>
    </div>
  );
}

/** The footer of public pages. @param markup its content if the server has already rendered it */
export function Footer({ markup }: { markup: string | undefined }) {
  return markup === undefined ? (
    <footer className={styles.footer}>
      <FooterContent />
    </footer>
  ) : (
    <footer className={styles.footer} dangerouslySetInnerHTML={{ __html: markup }} />
  );
}
