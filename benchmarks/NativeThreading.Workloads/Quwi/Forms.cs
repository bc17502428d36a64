namespace NativeThreading.Workloads.Quwi;

/// <summary>The global queue: WaitCallback and object.</summary>
internal readonly struct GlobalForm<TPool> : IForm
    where TPool : struct, IPool
{
    private static readonly WaitCallback s_step = static state => Chain.Step<GlobalForm<TPool>>((Chain)state!);

    public static void Queue(Chain chain) => default(TPool).Queue(s_step, chain);

    public static Task Run(Func<Task> producer) => default(TPool).Run(producer);
}

/// <summary>The worker's own queue: typed state, preferLocal.</summary>
internal readonly struct LocalForm<TPool> : IForm
    where TPool : struct, IPool
{
    private static readonly Action<Chain> s_step = static chain => Chain.Step<LocalForm<TPool>>(chain);

    public static void Queue(Chain chain) => default(TPool).Queue(s_step, chain, preferLocal: true);

    public static Task Run(Func<Task> producer) => default(TPool).Run(producer);
}

/// <summary>The global queue without the flow of the execution context.</summary>
internal readonly struct UnsafeGlobalForm<TPool> : IForm
    where TPool : struct, IPool
{
    private static readonly WaitCallback s_step = static state => Chain.Step<UnsafeGlobalForm<TPool>>((Chain)state!);

    public static void Queue(Chain chain) => default(TPool).UnsafeQueue(s_step, chain);

    public static Task Run(Func<Task> producer) => default(TPool).Run(producer);
}

/// <summary>The worker's own queue without the flow of the execution context.</summary>
internal readonly struct UnsafeLocalForm<TPool> : IForm
    where TPool : struct, IPool
{
    private static readonly Action<Chain> s_step = static chain => Chain.Step<UnsafeLocalForm<TPool>>(chain);

    public static void Queue(Chain chain) => default(TPool).UnsafeQueue(s_step, chain, preferLocal: true);

    public static Task Run(Func<Task> producer) => default(TPool).Run(producer);
}
