namespace NativeThreading.Simulation;

/// <summary>Clients outside send some requests, and wait. A request is an item, its local children, and a last one in the global order.</summary>
internal sealed class Service(SimulatedPool pool) : Shape(pool)
{
    private const int First = 0;
    private const int Child = 1;
    private const int Last = 2;

    private readonly int[] _children = new int[ScalePlan.Requests];
    private readonly List<SimulatedProducer> _clients = [];

    public override void Begin()
    {
        Array.Fill(_children, ScalePlan.RequestChildren);
        int clients = ScalePlan.Clients(Pool.Workers.Length);
        int each = ScalePlan.Requests / clients;
        for (int i = 0; i < clients; i++)
        {
            int request = i * each;
            int end = request + each;
            bool waits = false;
            _clients.Add(Pool.AddProducer(() =>
            {
                // A few requests, then a wait, and so on.
                if (request % ScalePlan.RequestsAtOnce == 0 && !waits && request % each != 0)
                {
                    waits = true;
                    return new SimulatedItem(Wait);
                }

                waits = false;
                return request == end ? null : new SimulatedItem(First, request++, ScalePlan.RequestChildren);
            }));
        }

        _clients.ForEach(static client => client.Begin());
    }

    public override long TimeOf(in SimulatedItem item) => Pool.Vary((long)(ScalePlan.RequestItemMicroseconds * 1_000));

    public override bool GoOn(SimulatedWorker worker, ref SimulatedItem item)
    {
        switch (item.Kind)
        {
            case First:
                worker.Push(new SimulatedItem(Child, item.Number), local: true);
                item = item with { Left = item.Left - 1 };
                return item.Left == 0;
            case Child:
                if (--_children[item.Number] == 0)
                {
                    worker.Push(new SimulatedItem(Last, item.Number), local: false);
                }

                return true;
            default:
                _clients[item.Number / (ScalePlan.Requests / _clients.Count)].EndOne(worker);
                return true;
        }
    }
}
