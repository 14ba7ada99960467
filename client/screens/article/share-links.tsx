import { useId, useState } from 'react';
import { useIsHydrated } from '../../app/page-state.tsx';
import { hydrateWhenNear } from '../../app/hydration-triggers.ts';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import shared from '../../components/shared.module.css';
import styles from './share-links.module.css';

interface ShareLinksProps {
  readonly title: string;
  /** Absolute URL. */
  readonly url: string;
}

function CopyButton({ url }: Pick<ShareLinksProps, 'url'>) {
  const [result, setResult] = useState('');
  const copy = () => {
    // Clear the status first, because screen readers announce only changes.
    setResult('');
    navigator.clipboard.writeText(url).then(
      () => setResult('Link copied.'),
      () => setResult('The link could not be copied. You can copy it from the address bar.'),
    );
  };

  return (
    <>
      <button className={shared.linkButton} type="button" onClick={copy}>
        Copy link
      </button>
      <span role="status">{result}</span>
    </>
  );
}

/** Links for sharing an article. They load nothing from other sites until clicked. */
export function ShareLinks({ title, url }: ShareLinksProps) {
  const titleId = useId();
  // The Clipboard API requires HTTPS or localhost.
  const mayCopy = useIsHydrated() && 'clipboard' in navigator;
  const [text, address] = [title, url].map(encodeURIComponent);
  const sites = [
    { name: 'LinkedIn', href: `https://www.linkedin.com/sharing/share-offsite/?url=${address}` },
    { name: 'X', href: `https://x.com/intent/post?url=${address}&text=${text}` },
  ];

  return (
    <section className={`${styles.share} ${shared.notPrinted}`} aria-labelledby={titleId} {...hydrateWhenNear}>
      <h2 className={styles.title} id={titleId}>
        Share this article
      </h2>
      <ul className={styles.ways} role="list">
        {sites.map(({ name, href }) => (
          <li key={name}>
            <a href={href} target="_blank" rel="noopener noreferrer">
              {name}
              <VisuallyHidden> (opens in a new tab)</VisuallyHidden>
            </a>
          </li>
        ))}
        <li>
          {/* Not `makeMailtoUrl`, because a module shared with the legal pages would add a request. */}
          <a href={`mailto:?subject=${text}&body=${address}`}>Email</a>
        </li>
        {mayCopy && (
          <li className={styles.copyItem}>
            <CopyButton url={url} />
          </li>
        )}
      </ul>
    </section>
  );
}
