import { useQuery } from '@tanstack/react-query'
import { answer, client } from '../../client/client.ts'

/** Title of a product by its feed id. Nothing where it is not in the feed any more, or is not for the reader to see. */
export function ProductTitle({ shopId, id }: { shopId: string; id: string }) {
  const { data } = useQuery({
    queryKey: ['/v1/panel/products/{id}', 'title', shopId, id],
    queryFn: () => answer(client.GET('/v1/panel/products/{id}', { params: { path: { id }, query: { shopId } } })),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  // A line of its height while it is not known.
  return <>{data?.title ?? '\u00a0'}</>
}
