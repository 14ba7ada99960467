import { useId, useState } from 'react';
import { useIsHydrated } from '../../app/page-state.tsx';
import { wakeWhenNear } from '../../app/wake-conditions.ts';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import styles from './share-links.module.css';

interface ShareLinksProps {
  readonly title: string;
  /** With its origin. */
  readonly url: string;
}

interface Service {
  readonly name: string;
  readonly href: string;
  readonly opensTab: boolean;
}

/** Plain addresses: nothing of these services is loaded before they are asked for. */
function listServices({ title, url }: ShareLinksProps): readonly Service[] {
  const [text, address] = [title, url].map(encodeURIComponent);

  return [
    {
      name: 'LinkedIn',
      href: `https://www.linkedin.com/sharing/share-offsite/?url=${address}`,
      opensTab: true,
    },
    { name: 'X', href: `https://x.com/intent/post?url=${address}&text=${text}`, opensTab: true },
    // Spelled here: an import that legal pages share would be one more request of every article.
    { name: 'Email', href: `mailto:?subject=${text}&body=${address}`, opensTab: false },
  ];
}

function ServiceLink({ name, href, opensTab }: Service) {
  if (!opensTab) return <a href={href}>{name}</a>;

  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {name}
      <VisuallyHidden> (opens in a new tab)</VisuallyHidden>
    </a>
  );
}

const messages = {
  none: '',
  copied: 'Link copied.',
  failed: 'The link could not be copied. You can copy it from the address bar.',
} as const;

function CopyButton({ url }: Pick<ShareLinksProps, 'url'>) {
  const [result, setResult] = useState<keyof typeof messages>('none');
  const copy = () => {
    // What doesn't change isn't read out.
    setResult('none');
    navigator.clipboard.writeText(url).then(
      () => setResult('copied'),
      () => setResult('failed'),
    );
  };

  return (
    <>
      <button className={styles.copy} type="button" onClick={copy}>
        Copy link
      </button>
      <span role="status">{messages[result]}</span>
    </>
  );
}

/** Ways to pass an article on. */
export function ShareLinks(props: ShareLinksProps) {
  const titleId = useId();
  // Browsers let pages write to the clipboard over HTTPS and on this machine only.
  const mayCopy = useIsHydrated() && 'clipboard' in navigator;

  return (
    <section className={styles.share} aria-labelledby={titleId} {...wakeWhenNear}>
      <h2 className={styles.title} id={titleId}>
        Share this article
      </h2>
      <ul className={styles.ways} role="list">
        {listServices(props).map((service) => (
          <li key={service.name}>
            <ServiceLink {...service} />
          </li>
        ))}
        {mayCopy && (
          <li className={styles.copyItem}>
            <CopyButton url={props.url} />
          </li>
        )}
      </ul>
    </section>
  );
}
