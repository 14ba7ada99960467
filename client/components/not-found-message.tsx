import type { ReactNode } from 'react';
import { anchors, pathTo, routePatterns } from '../../shared/paths.ts';
import { ButtonLink } from './button-link.tsx';
import { PageHero } from './page-hero.tsx';
import type { PictureSource } from './picture-source.ts';

interface NotFoundMessageProps {
  readonly picture?: PictureSource;
  /** Pages the visitor may have been looking for. */
  readonly suggestions?: ReactNode;
}

/** The message on a 404 page. */
export function NotFoundMessage({ picture, suggestions }: NotFoundMessageProps) {
  return (
    <PageHero
      label="Page not found"
      title="This one has rolled away"
      description="The address may be mistyped, the page may have moved, or a link in an email may have expired. These lead somewhere:"
      {...(picture && { picture })}
    >
      {suggestions}
      <ButtonLink href={routePatterns.home}>Go to the home page</ButtonLink>
      <ButtonLink href={`${routePatterns.home}#${anchors.solutions}`} variant="quiet">
        See our solutions
      </ButtonLink>
      <ButtonLink href={pathTo.contact()} variant="quiet">
        Contact us
      </ButtonLink>
    </PageHero>
  );
}
