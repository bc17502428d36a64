using NativeThreading.Tests.Support;
using static NativeThreading.EventLoops.EventLoopInterest;

namespace NativeThreading.Tests.EventLoops.Descriptors;

/// <summary>T76: what is disposed of while its event lies in the batch is not told of it.</summary>
public sealed class StaleEventTests : DescriptorTest
{
    [Fact]
    public void T76_TheFirstHandlerOfABatch_EndsAllOthers()
    {
        const int count = 200;
        Pair[] pairs = Pair.OfSockets(count);
        var told = new Told();
        OnLoop(() =>
        {
            // All are ready before the loop looks again, and fit into one look.
            EventLoopRegistration[] registrations = [.. pairs.Select(pair => Watch(pair.Here, Read, told))];
            told.Then = _ => Array.ForEach(registrations, registration => registration.Dispose());
            Array.ForEach(pairs, pair => pair.There.Write(1));
        });

        told.Next();
        AwaitLook();

        Assert.Equal(1, told.Count);
        Array.ForEach(pairs, pair => pair.Dispose());
    }

    [Fact]
    public void T76_NumberAndTokenUsedAgainWithinTheBatch_DoNotGetTheOldEvent()
    {
        using Pair first = Pair.OfSockets(), second = Pair.OfSockets(), quiet = Pair.OfSockets();
        Told ofOld = new(), ofNew = new();
        EventLoopRegistration? one = null, two = null;
        OnLoop(() =>
        {
            one = Loop.Register(first.Here, Read, (_, _) => Replace(one!, two!, second.Here), null);
            two = Loop.Register(second.Here, Read, (_, _) => Replace(two!, one!, first.Here), null);
            first.There.Write(1);
            second.There.Write(1);
        });

        ofOld.Next();
        AwaitLook();

        Assert.Equal(1, ofOld.Count);
        Assert.Equal(0, ofNew.Count);
        quiet.There.Write(1);
        Assert.Equal(EventLoopReadiness.Read, ofNew.Next());

        // The other one's number, and its place among the loop's targets, go to a socket with nothing in it.
        void Replace(EventLoopRegistration told, EventLoopRegistration other, Descriptor ofOther)
        {
            ofOld.Handle(EventLoopReadiness.Read, null);
            other.Dispose();
            told.Dispose();
            Libc.Duplicate(quiet.Here.Number, ofOther.Number);
            EventLoopRegistration replacement = Watch(ofOther, Read, ofNew);
            ofNew.Then = _ => replacement.Dispose();
        }
    }

    [Fact]
    public void T76_DisposedOnAnotherThreadBeforeItsTurn_IsNotTold()
    {
        using Pair first = Pair.OfSockets(), second = Pair.OfSockets();
        var told = new Told();
        OnLoop(() =>
        {
            EventLoopRegistration[] both = [Watch(first.Here, Read, told), Watch(second.Here, Read, told)];
            told.Then = _ => StartGate.Run(1, _ => Array.ForEach(both, registration => registration.Dispose()));
            first.There.Write(1);
            second.There.Write(1);
        });

        told.Next();
        AwaitLook();

        Assert.Equal(1, told.Count);
    }

    [Fact]
    public void T76_RegisteredWithinTheBatch_IsToldInALaterOne()
    {
        using Pair first = Pair.OfSockets(), second = Pair.OfSockets();
        Told told = new(), later = new();
        second.There.Write(1);
        bool isInside = false, wasInside = false;
        OnLoop(() =>
        {
            EventLoopRegistration registration = Watch(first.Here, Write, told);
            told.Then = _ =>
            {
                isInside = true;
                registration.Dispose();
                EventLoopRegistration inner = Watch(second.Here, Read, later);
                later.Then = _ =>
                {
                    wasInside = isInside;
                    inner.Dispose();
                };
                isInside = false;
            };
        });

        Assert.Equal(EventLoopReadiness.Read, later.Next());
        Assert.False(wasInside);
        Assert.Equal(1, told.Count);
    }
}
