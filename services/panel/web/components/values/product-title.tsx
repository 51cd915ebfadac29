import { useQuery } from '@tanstack/react-query'
import { answer, client } from '../../client/client.ts'

interface ProductTitleProps {
  shopId: string
  /** In the feed. */
  id: string
  /** Until it is known, and where it is in no feed any more or not for the reader to see; default: a line of its height. */
  otherwise?: string
}

export function ProductTitle({ shopId, id, otherwise = '\u00a0' }: ProductTitleProps) {
  const { data } = useQuery({
    queryKey: ['/v1/panel/products/{id}', 'title', shopId, id],
    queryFn: () => answer(client.GET('/v1/panel/products/{id}', { params: { path: { id }, query: { shopId } } })),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return <>{data?.title ?? otherwise}</>
}
