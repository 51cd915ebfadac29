import { useQuery } from '@tanstack/react-query'
import { answer, client } from '../../client/client.ts'

interface ProductTitleProps {
  shopId: string
  /** The product's id in the feed. */
  id: string
  /** Shown until the title is known, and when the product is gone or hidden from the user. Default: an empty line. */
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
