import { Link as RouterLink, type LinkProps } from 'react-router-dom';

/**
 * A link to a page of the site. Routes are all known from the start: without `discover` each link would have an attribute
 * for the router's search for them.
 */
export function Link(props: LinkProps) {
  return <RouterLink {...props} discover="none" />;
}
